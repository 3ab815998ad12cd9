package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.service.RunDirectory;

/** Tests the files for service managers and containers, and the manual's list of counters. */
class ServiceFilesTest {
  private static final Path CONF = Path.of("src/packaging/conf");
  private static final Path ANALYZE = Path.of("/usr/bin/systemd-analyze");

  @TempDir Path folder;

  private static String unit() throws IOException {
    return Files.readString(CONF.resolve("systemd/nyala.service"));
  }

  @Test
  void shouldShipConfigurationsThatAreSound() {
    Map<String, String> places =
        Map.of("systemd/nyala.conf", "127.0.0.1", "container/nyala.conf", "0.0.0.0");
    places.forEach(
        (file, host) -> {
          NyalaConfig read = ConfigurationFile.read(CONF.resolve(file), folder);
          assertThat(read.data()).isEqualTo(Path.of("/var/lib/nyala"));
          assertThat(read.run()).contains(Path.of("/run/nyala"));
          assertThat(read.wire().listeners().getFirst().host()).isEqualTo(host);
          assertThat(read.settings().all().get("nyala.log.access.file").value())
              .contains("/var/log/nyala/");
          assertThat(read.logs().security().map(log -> log.file().file()))
              .contains(
                  Path.of(file.startsWith("systemd") ? "/var/log/nyala" : "/var/lib/nyala/logs")
                      .resolve("security.log"));
          assertThat(RunDirectory.of(read).countersFile())
              .isEqualTo(Path.of("/run/nyala/nyala.counters"));
        });
  }

  @Test
  void shouldHaveItsRunFilesInTheDataThatTheCommandLineNames() {
    NyalaConfig read = ConfigurationFile.read(CONF.resolve("systemd/nyala.conf"), folder);
    assertThat(RunDirectory.of(read.withData(folder)).countersFile())
        .isEqualTo(folder.resolve("run/nyala.counters"));
  }

  @Test
  void shouldTellTheServiceManagerWhatTheServerDoes() throws IOException {
    assertThat(unit().lines())
        .contains(
            "Type=notify",
            "NotifyAccess=main",
            "ExecStart=/opt/nyala/bin/nyala serve",
            "ExecReload=/bin/kill -HUP $MAINPID",
            "WatchdogSec=60",
            "NoNewPrivileges=yes",
            "ProtectSystem=strict",
            // Without the first, tools cannot attach to the JVM; without the second, crashes are
            // not reported.
            "SystemCallFilter=@chown",
            "RuntimeDirectoryPreserve=restart",
            "Documentation=file:///opt/nyala/docs/manual.html",
            // Not without a limit; one start every two seconds makes this many in that time, also
            // if a start takes long.
            "StartLimitIntervalSec=15min",
            "StartLimitBurst=60",
            "RestartSec=2",
            "Restart=on-failure",
            "RestartPreventExitStatus="
                + ExitCode.USAGE
                + " "
                + ExitCode.ALREADY_RUNNING
                + " "
                + ExitCode.UNSOUND
                + " "
                + ExitCode.UNWRITABLE)
        .noneMatch(line -> line.startsWith("MemoryDenyWriteExecute"));
  }

  @Test
  void shouldBeAUnitThatSystemdTakes() throws Exception {
    assumeTrue(Files.isExecutable(ANALYZE), "there is no systemd-analyze");
    Path program = Files.createFile(folder.resolve("nyala"));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Path unit =
        Files.writeString(
            folder.resolve("nyala.service"),
            unit().replace("/opt/nyala/bin/nyala", program.toString()));
    Processes.Result verified =
        Processes.run(
            folder,
            Map.of("PATH", "/usr/bin:/bin", "SYSTEMD_LOG_TARGET", "console"),
            List.of(ANALYZE.toString(), "verify", "--man=no", unit.toString()));
    assertThat(verified.err()).doesNotContain("nyala.service");
    verified.shouldSucceed();
  }
}
