package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.LocalManagement;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Checks that other users of the machine cannot access a server's files. */
class PrivateFilesTest {
  @TempDir Path folder;

  /**
   * Returns files and folders below a folder that other users or the group can access, with their
   * modes.
   */
  private static List<String> open(Path root) throws IOException {
    List<String> open = new ArrayList<>();
    try (var files = Files.walk(root)) {
      for (Path file : files.toList()) {
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        if (!mode.endsWith("------")) {
          open.add(mode + " " + file);
        }
      }
    }
    return open;
  }

  @Test
  void shouldMakeNoFileThatOthersCanOpen() throws Exception {
    Path home = folder.resolve("home");
    Files.createDirectory(home);
    Path run = home.resolve("deep/run");
    try (ServerProcess server =
            ServerProcess.start(
                home,
                """
                log {
                  access { format = stats, file = "%1$s/logs/access.log" }
                  audit { enabled = true, file = "%1$s/logs/audit.ldif" }
                  security.file = "%1$s/logs/security.log"
                }
                run = "%2$s"
                """
                    .formatted(home, run));
        var root = server.client("cn=admin", "admin");
        LocalManagement local = LocalManagement.attach(server.pid())) {
      root.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      assertThat(local.server().getPid()).isEqualTo(server.pid());
      assertThat(run.resolve("nyala.lock")).exists();
      assertThat(run.resolve("nyala.pid")).exists();
      assertThat(run.resolve("nyala.counters")).exists();
      assertThat(open(home.resolve("data"))).isEmpty();
      assertThat(open(home.resolve("deep"))).isEmpty();
      assertThat(home.resolve("logs/access.log")).exists();
      assertThat(home.resolve("logs/audit.ldif")).exists();
      assertThat(home.resolve("logs/security.log")).exists();
      assertThat(open(home.resolve("logs"))).isEmpty();
      assertThat(server.log()).doesNotContain("chmod");
    }
  }

  @Test
  void shouldCloseLocksAndTellOfFolders() throws Exception {
    Path data = folder.resolve("data");
    ServerProcess.start(folder, "").close();
    List<Path> locks =
        List.of(
            data.resolve("nyala.lock"),
            data.resolve("lock.mdb"),
            data.resolve("data.mdb"),
            data.resolve("run/nyala.lock"));
    for (Path lock : locks) {
      Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-r--rw-"));
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (ServerProcess server = ServerProcess.serve(folder)) {
      for (Path lock : locks) {
        // The group's permissions are the administrator's choice.
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)))
            .as(lock.toString())
            .isEqualTo("rw-r-----");
      }
      assertThat(server.log())
          .contains(data + " (rwxr-xr-x) is open to every user: chmod o= " + data);
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-x---"));
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(server.log()).doesNotContain("chmod");
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwx---"));
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(server.log()).contains("chmod go-w,o= " + data);
    }
  }

  @Test
  void shouldTellOfRulesThatOthersCanWrite() throws Exception {
    Path rules = Files.writeString(folder.resolve("access.rules"), "to all\n  users may read\n");
    Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-r--r--"));
    try (ServerProcess server =
        ServerProcess.start(folder, "access.rules = \"%s\"".formatted(rules))) {
      assertThat(server.log()).doesNotContain("chmod");
    }
    Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-rw----"));
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(server.log())
          .contains(rules + " (rw-rw----) can be written to by others than its owner")
          .contains("chmod go-w " + rules);
    }
  }

  @Test
  void shouldTellOfFoldersOfRunFilesAndLogs() throws Exception {
    Path run = folder.resolve("run");
    Path logs = folder.resolve("logs");
    Path within = folder.resolve("data/audit");
    for (Path each : List.of(run, logs, within)) {
      Files.createDirectories(each);
      Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.setPosixFilePermissions(
        folder.resolve("data"), PosixFilePermissions.fromString("rwx------"));
    String configuration =
        """
        run = "%s"
        log {
          access { format = stats, file = "%s/access.log" }
          audit { enabled = true, file = "%s/audit.ldif" }
        }
        """
            .formatted(run, logs, within);
    try (ServerProcess server = ServerProcess.start(folder, configuration)) {
      for (Path each : List.of(run, logs)) {
        assertThat(server.log())
            .contains(
                each
                    + " (rwxr-xr-x) is open to every user: chmod o= "
                    + each
                    + ", if it is the server's alone");
      }
      assertThat(server.log()).doesNotContain("data");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(logs)))
          .isEqualTo("rwxr-xr-x");
    }
    for (Path each : List.of(run, logs, within)) {
      Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-x---"));
    }
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(server.log()).doesNotContain("chmod");
    }
    Files.setPosixFilePermissions(within, PosixFilePermissions.fromString("rwxrwx---"));
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(server.log()).contains("chmod go-w,o= " + within);
    }
  }

  @Test
  void shouldImportIntoAFolderOfItsOwn() throws Exception {
    Path ldif =
        Files.writeString(
            folder.resolve("a.ldif"),
            "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\nuserPassword: x\n");
    Path data = folder.resolve("made/data");
    Processes.Result result = Processes.run(folder, Map.of(), imported(folder, data, ldif));
    assertThat(result.exitCode()).as(result.err()).isIn(ExitCode.OK, ExitCode.REJECTED);
    assertThat(open(folder.resolve("made"))).isEmpty();
  }

  private static List<String> imported(Path folder, Path data, Path ldif) {
    List<String> command = new ArrayList<>(ServerProcess.command(folder));
    int serve = command.indexOf("serve");
    command.subList(serve, command.size()).clear();
    command.addAll(List.of("import", ldif.toString(), "--data=" + data));
    return command;
  }
}
