package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Tests servers that have no permission to write to their data. */
@EnabledOnOs(OS.LINUX)
class WritableDataCheckTest {
  @TempDir Path folder;

  private Path data;

  @BeforeEach
  void makeData() throws Exception {
    data = folder.resolve("data");
    ServerProcess.configure(folder, "");
    ServerProcess.start(folder, "").close();
  }

  @AfterEach
  void allowToDelete() throws IOException {
    allow(data, "rwx------");
    allow(data.resolve("data.mdb"), "rw-------");
  }

  private static void allow(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  /**
   * Returns a command prefix that drops capabilities: root without them cannot write everywhere.
   */
  private static List<String> withoutCapabilities() {
    return "root".equals(System.getProperty("user.name"))
        ? List.of("setpriv", "--inh-caps=-all", "--bounding-set=-all")
        : List.of("env");
  }

  private Processes.Result serve(List<String> before) throws Exception {
    List<String> command = new ArrayList<>(before);
    command.addAll(ServerProcess.command(folder));
    return Processes.run(folder, Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), command);
  }

  private void shouldRefuse(Processes.Result result, Path path, String reason) {
    assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCode.UNWRITABLE);
    assertThat(result.err())
        .startsWith("nyala: cannot write to " + path + ": " + reason)
        .hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void shouldNotStartInAFolderThatIsNotToBeWrittenTo() throws Exception {
    allow(data, "r-x------");
    shouldRefuse(
        serve(withoutCapabilities()),
        data,
        "it belongs to " + System.getProperty("user.name") + " (r-x------)");
  }

  @Test
  void shouldNotStartWithAFileThatIsNotToBeWrittenTo() throws Exception {
    allow(data.resolve("data.mdb"), "r--------");
    shouldRefuse(
        serve(withoutCapabilities()),
        data.resolve("data.mdb"),
        "it belongs to " + System.getProperty("user.name") + " (r--------)");
  }

  @Test
  void shouldNotStartOnADiskThatIsMountedReadOnly() throws Exception {
    List<String> mounted =
        List.of(
            "unshare",
            "-m",
            "sh",
            "-c",
            "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"",
            data.toString());
    List<String> trial = new ArrayList<>(mounted);
    trial.add("true");
    assumeTrue(
        Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), absolute(trial)).exitCode() == 0,
        "this user may not mount anything");
    shouldRefuse(serve(absolute(mounted)), data, "the file system is read-only");
  }

  private static List<String> absolute(List<String> command) {
    List<String> absolute = new ArrayList<>(command);
    absolute.set(0, "/usr/bin/" + command.getFirst());
    return absolute;
  }
}
