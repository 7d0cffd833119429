#include "remote/sandbox/configuration.h"

#include <shadow.h>
#include <sstream>
#include <unistd.h>

namespace dailies::remote::sandbox {

namespace {

/// Whether root's password is locked, as where one becomes root by sudo alone: without PAM, which only root
/// can use, sshd would then refuse its key. Other users cannot read the shadow file, nor can their sshd.
bool accountIsLocked() {
    const spwd* entry = ::geteuid() == 0 ? ::getspnam("root") : nullptr;
    return entry && entry->sp_pwdp && entry->sp_pwdp[0] == '!';
}

}  // namespace

std::string slurmConf(const Layout& layout, const State& state) {
    std::ostringstream conf;
    conf
        << "ClusterName=sandbox\n"
           "SlurmctldHost=localhost(127.0.0.1)\n"
           "SlurmUser="
        << state.user
        << "\n"
           "SlurmdUser="
        << state.user
        << "\n"
           "SlurmctldPort="
        << state.controllerPort
        << "\n"
           "AuthType=auth/munge\n"
           "CredType=cred/munge\n"
           "AuthInfo=socket="
        << (state.runFolder / "munge.socket").string()
        << ",cred_expire=15\n"  // a requeued job waits so long before it starts again; by default two minutes
           "# Loopback only.\n"
           "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n"
           "StateSaveLocation="
        << layout.controllerState().string()
        << "\n"
           "SlurmdSpoolDir="
        << (state.runFolder / "%n").string()
        << "\n"
           "SlurmctldPidFile="
        << (state.runFolder / "slurmctld.pid").string()
        << "\n"
           "SlurmdPidFile="
        << (state.runFolder / "slurmd-%n.pid").string()
        << "\n"
           "MailProg=/bin/true\n"
           "MpiDefault=none\n"
           "SwitchType=switch/none\n"
           "# What works without root and without cgroups.\n"
           "ProctrackType=proctrack/linuxproc\n"
           "TaskPlugin=task/none\n"
           "SlurmdParameters=config_overrides\n"
           "SelectType=select/cons_tres\n"
           "SelectTypeParameters=CR_Core_Memory\n"
           "DefMemPerCPU="
        << state.memoryPerNode / state.cpusPerNode
        << "\n"
           "# A job that outgrows its memory is killed, as on a real cluster.\n"
           "JobAcctGatherType=jobacct_gather/linux\n"
           "JobAcctGatherFrequency=task=2\n"
           "JobAcctGatherParams=OverMemoryKill\n"
        << (state.accounting ? "AccountingStorageType=accounting_storage/slurmdbd\n"
                               "AccountingStorageHost=127.0.0.1\n"
                               "AccountingStoreFlags=job_comment\n"
                               "AccountingStoragePort=" +
                                   std::to_string(state.accountingPort) + "\nAccountingStoragePass=" +
                                   (state.runFolder / "munge.socket").string() + "\n"
                             : "AccountingStorageType=accounting_storage/none\n")
        << "ReturnToService=2\n"
           "MinJobAge=300\n"
           "JobRequeue=1\n"
           "KillWait=5\n"
           "SlurmctldTimeout=30\n"
           "SlurmdTimeout=30\n"
           "SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=5\n";
    if (state.gpusPerNode > 0) conf << "GresTypes=gpu\n";
    if (state.gpusPerNode > 0 && state.accounting) conf << "AccountingStorageTRES=gres/gpu\n";
    for (int node = 0; node < state.nodes; ++node) {
        conf << "NodeName=" << nodeName(node) << " NodeHostname=localhost NodeAddr=127.0.0.1 Port="
             << state.nodePorts.at(static_cast<std::size_t>(node)) << " CPUs=" << state.cpusPerNode
             << " RealMemory=" << state.memoryPerNode;
        if (state.gpusPerNode > 0) conf << " Gres=gpu:" << state.gpusPerNode;
        conf << "\n";
    }
    conf << "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
    return conf.str();
}

std::string slurmdbdConf(const State& state) {
    std::ostringstream conf;
    conf << "AuthType=auth/munge\n"
            "AuthInfo=socket="
         << (state.runFolder / "munge.socket").string()
         << "\n"
            "DbdHost=localhost\n"
            "DbdAddr=127.0.0.1\n"
            "DbdPort="
         << state.accountingPort
         << "\n"
            "SlurmUser="
         << state.user
         << "\n"
            "PidFile="
         << (state.runFolder / "slurmdbd.pid").string()
         << "\n"
            "CommitDelay=1\n"
            "StorageType=accounting_storage/mysql\n"
            "StorageHost=127.0.0.1\n"
            "StoragePort="
         << state.databasePort
         << "\n"
            "StorageUser=slurm\n"
            "StorageLoc=slurm\n"
            "StoragePass="
         << state.databasePassword << "\n";
    return conf.str();
}

std::string databaseInit(const State& state) {
    return "CREATE USER IF NOT EXISTS 'slurm'@'%' IDENTIFIED BY '" + state.databasePassword +
           "';\nGRANT ALL ON slurm.* TO 'slurm'@'%';\n";
}

std::string gresConf(const Layout& layout, const State& state) {
    if (state.gpusPerNode == 0) return {};
    return "AutoDetect=off\nNodeName=n[1-" + std::to_string(state.nodes) + "] Name=gpu File=" +
           (layout.gpus() / ("gpu[0-" + std::to_string(state.gpusPerNode - 1) + "]")).string() + "\n";
}

std::string sshdConfig(const Layout& layout, const State& state, const std::string& path) {
    std::ostringstream conf;
    conf << "ListenAddress 127.0.0.1\n"
            "Port "
         << state.sshPort
         << "\n"
            "HostKey "
         << layout.hostKey().string()
         << "\n"
            "AuthorizedKeysFile "
         << layout.authorizedKeys().string()
         << "\n"
            "PidFile none\n"
            "AllowUsers "
         << state.user
         << "\n"
            "PermitRootLogin prohibit-password\n"
            "PasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\n"
            "# A home that others may write to is no risk behind this key.\n"
            "StrictModes no\n"
            "UsePAM "
         << (accountIsLocked() ? "yes\n" : "no\n")
         << "UseDNS no\n"
            "PrintMotd no\n"
            "X11Forwarding no\n"
            "MaxStartups 100\n"
            "MaxSessions 100\n"
            "Subsystem sftp internal-sftp\n"
            "# SHLVL keeps bash from the user's .bashrc, as it is not a shell that a person sits at: what "
            "that\n"
            "# file starts could hold the session up, or leave something behind when the session is cut.\n"
            "SetEnv SHLVL=1 SLURM_CONF="
         << layout.slurmConf().string() << " " << kMarkVariable << "=" << state.mark << " PATH=" << path
         << "\n";
    return conf.str();
}

}  // namespace dailies::remote::sandbox
