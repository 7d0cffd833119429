"""Trainers as their users write them: Hugging Face's Trainer, Lightning, a loop with trackio, and ranks that meet. They know
nothing of Dailies but its variables, which their trackers read themselves."""

import glob
import os
import sys
import time

import torch
from torch import nn

trainer = sys.argv[1].split("=")[1]
folder = sys.argv[2].split("=")[1]
STEPS = 60


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)

    def forward(self, x, labels=None):
        return {"loss": ((self.layer(x) - labels) ** 2).mean()}


rows = [{"x": torch.tensor([i / 256]), "labels": torch.tensor([2 * i / 256])} for i in range(256)]

if trainer == "transformers":
    from transformers import Trainer, TrainingArguments
    arguments = TrainingArguments(output_dir=folder, max_steps=STEPS, logging_steps=1, save_steps=20, use_cpu=True,
                                  report_to="tensorboard", disable_tqdm=True)
    Trainer(model=Line(), args=arguments, train_dataset=rows).train()
elif trainer == "lightning":
    import lightning
    from lightning.pytorch.loggers import CSVLogger

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.line = Line()

        def training_step(self, batch, index):
            loss = self.line(**batch)["loss"]
            self.log("train/loss", loss)
            if not glob.glob(f"{folder}/hpc_ckpt_*"):  # long enough to be asked to stop; then the rest at once
                time.sleep(0.5)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    # preempted by its own signal, it puts its job back into the queue and goes on from its checkpoint
    lightning.Trainer(default_root_dir=folder, logger=CSVLogger(folder, flush_logs_every_n_steps=1), accelerator="cpu",
                      max_steps=400, log_every_n_steps=1, enable_progress_bar=False).fit(
                          Module(), torch.utils.data.DataLoader(rows, batch_size=16))
elif trainer == "ranks":
    import torch.distributed as dist
    dist.init_process_group("gloo")
    nodes = [None] * dist.get_world_size()
    dist.all_gather_object(nodes, os.environ["SLURM_NODEID"])
    ones = torch.ones(1)
    dist.all_reduce(ones)
    if dist.get_rank() == 0:
        print(f"step: 1 ranks: {ones.item()} nodes: {len(set(nodes))}", flush=True)
    dist.destroy_process_group()
else:
    import trackio
    trackio.init(project="lines", config={"optimizer": {"lr": 0.01}})
    line = Line()
    for step in range(STEPS):
        trackio.log({"train/loss": float(line(**rows[step])["loss"].detach())}, step=step)
        time.sleep(0.05)
    trackio.finish()
