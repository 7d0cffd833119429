# What trackers read of the environment, so that they write below the run's folder. Variables of the sweep's or the
# cluster's environment come later and win.
export DAILIES_RUN_DIR=$run DAILIES_RUN_ID=$run_id
export WANDB_MODE=offline WANDB_DIR=$run WANDB_RUN_ID=$run_id WANDB_RESUME=allow WANDB_SWEEP_PARAM_PATH=$run/wandb_parameters.yaml
export MLFLOW_TRACKING_URI=file:$run/mlruns MLFLOW_ALLOW_FILE_STORE=true
export TENSORBOARD_LOGGING_DIR=$run/tensorboard
export TRACKIO_DIR=$run/trackio TRACKIO_STORAGE_MODE=jsonl
export PYTHONUNBUFFERED=1
