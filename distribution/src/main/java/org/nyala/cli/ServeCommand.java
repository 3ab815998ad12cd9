package org.nyala.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.error.Installation;
import org.nyala.management.ManagementBeans;
import org.nyala.server.ConfigurationCheck;
import org.nyala.server.LoginRate;
import org.nyala.server.RemoteManagement;
import org.nyala.server.RunningServer;
import org.nyala.service.DataMarker;
import org.nyala.service.Heartbeat;
import org.nyala.service.LogStamp;
import org.nyala.service.OpenFolders;
import org.nyala.service.RunDirectory;
import org.nyala.service.ShutdownSignal;
import org.nyala.service.SighupHandler;
import org.nyala.service.SystemdNotifier;
import org.nyala.service.UncaughtExceptions;
import org.nyala.service.UnfinishedJobs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala serve}. */
@Command(
    name = "serve",
    description = {
      "Serves the data directory in the foreground until it is asked to stop (SIGTERM, Ctrl-C).",
      "Prints a line with the time and 'nyala ready on URL' for every listener when it accepts "
          + "connections."
    })
final class ServeCommand extends DataCommand {
  private static final System.Logger LOG = System.getLogger(ServeCommand.class.getName());

  @Mixin private ListenOptions listen = new ListenOptions();

  @Option(
      names = "--sample",
      paramLabel = "N",
      description = {
        "Serve N made-up people under dc=example,dc=com instead of data; anyone may read. ",
        "They are deleted when the server stops. See 'nyala sample --help'."
      })
  private @Nullable Integer sample;

  @Override
  public Integer call() throws IOException, InterruptedException {
    NyalaConfig configuration = listen.applyTo(data().configuration());
    Integer people = sample;
    if (people != null && people < 1) {
      throw wrongUsage("--sample: expected a number from 1 up");
    }
    if (people != null && data().namesData()) {
      throw wrongUsage("--sample serves made-up people instead of data: leave --data out");
    }
    // Closed last of all: the process ends after it.
    try (ShutdownSignal signal = ShutdownSignal.install()) {
      if (people == null) {
        UnfinishedJobs.tell(configuration);
        ConfigurationCheck.requireStartable(data().configurationFile(), configuration);
        serve(configuration, () -> listen.applyTo(data().read()), signal);
      } else {
        serveSample(people, configuration, signal);
      }
      return signal.exitCode();
    }
  }

  private void serveSample(int people, NyalaConfig configuration, ShutdownSignal signal)
      throws IOException, InterruptedException {
    try (SampleData generated = SampleData.create(people, configuration)) {
      UnaryOperator<NyalaConfig> sampled =
          read ->
              read.withData(generated.data())
                  .withSecurityLog(generated.folder().resolve("logs/security.log"))
                  .withSuffixes(List.of())
                  .withAccess(read.access().withRules(null).withAnonymousRead(true));
      serve(
          sampled.apply(configuration), () -> sampled.apply(listen.applyTo(data().read())), signal);
    }
  }

  private void serve(NyalaConfig configuration, Supplier<NyalaConfig> source, ShutdownSignal signal)
      throws IOException, InterruptedException {
    MBeanServer platform = ManagementFactory.getPlatformMBeanServer();
    UncaughtExceptions.handle();
    OpenFolders.tell(configuration);
    RunDirectory run = RunDirectory.of(configuration);
    try (RunDirectory.Lease lease = run.acquire();
        Heartbeat signs =
            Heartbeat.begin(run, serviceManager(), InstantSource.system(), System::nanoTime);
        RunningServer server =
            RunningServer.start(configuration, Installation.current(), source, signs);
        ManagementBeans _ = server.register(platform);
        RemoteManagement remote =
            RemoteManagement.open(
                configuration.management().jmx(), server.jmxTls(), server.logins(), platform)) {
      server.endBy(signal::ask);
      server.tellOfAccounts(remote::reconfigure);
      SighupHandler.handle(() -> signs.whileReloading(server::reloadAndLog));
      if (sample == null) {
        DataMarker.note(data().configurationFile(), configuration);
      }
      lease.ready(server.listeners());
      server.listeners().forEach(this::tellReady);
      out().flush();
      signs.ready(server.listeners());
      tellLoginRate(configuration);
      signal.await();
      signs.stopping(configuration.wire().timeouts().drainMillis());
    }
  }

  /** Prints a line in the form of the log's, whose file it goes to in the background. */
  private void tellReady(String listener) {
    out()
        .println(
            LogStamp.of(InstantSource.system().instant(), "INFO") + "nyala ready on " + listener);
  }

  /** Logs, some seconds later, if the hashes take more time than the configuration expects. */
  private static void tellLoginRate(NyalaConfig configuration) {
    if (configuration.updates().expectedLoginsPerSecond() > 0) {
      Thread _ =
          Thread.ofPlatform()
              .daemon()
              .name("nyala-login-rate")
              .start(
                  () ->
                      LoginRate.shortage(configuration, LoginRate.IN_PROCESS)
                          .ifPresent(line -> LOG.log(System.Logger.Level.WARNING, line)));
    }
  }

  private static SystemdNotifier serviceManager() {
    return SystemdNotifier.of(System.getenv(), ProcessHandle.current().pid(), System::nanoTime);
  }
}
