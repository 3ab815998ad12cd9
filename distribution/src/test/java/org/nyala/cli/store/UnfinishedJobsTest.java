package org.nyala.cli.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.env.StoreLock;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/** Remains of jobs: none after a failure or a signal, and a line about those of killed ones. */
class UnfinishedJobsTest {
  /** The beginning of the line about servers that copy this one. */
  private static final String COPIES = "copies of this server may have other data: ";

  private static final String LINE = "an earlier import, restore or compaction did not finish: ";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private Path configuration;

  @BeforeEach
  void configure() throws Exception {
    configuration = ServerProcess.configure(folder, "");
    commands.shouldSucceed(configuration, "sample", "--entries", "30", "-o", path("a.ldif"));
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private List<String> names(String below) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve(below))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Starts an import that waits for its input. */
  private Process startImport(String data) throws Exception {
    Process process =
        new ProcessBuilder(
                ProgramJvm.command(
                    List.of(),
                    List.of(
                        "import", "--replace", "-", "--config=" + configuration, "--data=" + data)))
            .redirectErrorStream(true)
            .start();
    Path parent = Path.of(data).getParent();
    eventually("it builds", () -> isBuilding(parent));
    return process;
  }

  private static boolean isBuilding(Path parent) {
    try (Stream<Path> folders = Files.list(parent)) {
      return folders.anyMatch(
          each ->
              each.toString().contains(".importing-") && Files.exists(each.resolve("data.mdb")));
    } catch (IOException _) {
      return false;
    }
  }

  @Test
  void shouldLeaveNoFolderThatWasMadeForNothing() throws Exception {
    Files.writeString(folder.resolve("empty.ldif"), "# nothing\n");
    Files.writeString(folder.resolve("bad.ldif"), "dn: dc=x\nobjectClass: nosuch\n\n");
    List<String> before = names("");
    for (String file : List.of("empty.ldif", "bad.ldif", "missing.ldif")) {
      assertThat(commands.run(configuration, "import", "--data=" + path("x/y/data"), path(file)))
          .isEqualTo(ExitCode.FAILED);
      assertThat(commands.err()).hasLineCount(1);
      assertThat(names("")).as(file).isEqualTo(before);
    }
    Files.createDirectories(folder.resolve("x/y"));
    assertThat(commands.run(configuration, "import", "--data=" + path("x/y/z"), path("bad.ldif")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(names("x/y")).isEmpty();
  }

  @Test
  void shouldLeaveNothingWhenAskedToEnd() throws Exception {
    List<String> before = names("");
    Process first = startImport(path("x/y/data"));
    // Not Process.destroy, which would close the output that is still to be read.
    first.toHandle().destroy();
    assertThat(new String(first.getInputStream().readAllBytes(), UTF_8)).doesNotContain("nyala:");
    assertThat(first.waitFor()).isNotZero();
    assertThat(names("")).isEqualTo(before);

    commands.shouldSucceed(configuration, "import", path("a.ldif"));
    List<String> loaded = names("");
    Process second = startImport(path("data"));
    second.destroy();
    assertThat(second.waitFor()).isNotZero();
    assertThat(names("")).isEqualTo(loaded);
    commands.shouldSucceed(configuration, "verify");
  }

  @Test
  void shouldSayThatAnImportWasKilled() throws Exception {
    commands.shouldSucceed(configuration, "import", path("a.ldif"));
    Process process = startImport(path("data"));
    assertThat(commands.run(configuration, "status")).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(commands.out()).as("while it goes on").doesNotContain(LINE);
    process.destroyForcibly().waitFor();
    assertThat(StoreLock.isHeld(folder.resolve("data"))).isFalse();

    assertThat(commands.run(configuration, "status")).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(commands.out())
        .contains(LINE + "the data is as it was before it; the next import or restore begins anew,")
        .contains(path("data.importing-"));
    try (ServerProcess server = ServerProcess.serve(folder)) {
      assertThat(server.log()).contains(LINE);
      eventually("it answers", () -> commands.run(configuration, "status") == ExitCode.OK);
      assertThat(commands.out()).doesNotContain(LINE);
      assertThat(names("")).noneMatch(name -> name.contains(".importing-"));
    }
    startImport(path("data")).destroyForcibly().waitFor();
    commands.shouldSucceed(configuration, "import", "--replace", path("a.ldif"));
    assertThat(commands.err())
        .startsWith(LINE + "the data is as it was before it; this import begins anew and deletes ")
        .contains(COPIES)
        .hasLineCount(2);
    assertThat(names("")).noneMatch(name -> name.contains(".importing-"));
    commands.shouldSucceed(configuration, "import", "--replace", path("a.ldif"));
    assertThat(commands.err()).startsWith(COPIES).hasLineCount(1);
  }

  @Test
  void shouldSayThatAFirstImportWasKilled() throws Exception {
    Process process = startImport(path("data"));
    process.destroyForcibly().waitFor();
    commands.shouldSucceed(configuration, "import", path("a.ldif"));
    assertThat(commands.err()).startsWith(LINE + "there is still no data; this import begins anew");
  }

  @Test
  void shouldReplaceABackupThatDidNotFinishAndNameOthers() throws Exception {
    commands.shouldSucceed(configuration, "import", path("a.ldif"));
    for (String name : List.of("one", "two")) {
      Files.createDirectories(folder.resolve("backups").resolve(name));
      Files.writeString(folder.resolve("backups").resolve(name).resolve("data.mdb"), "half");
      Files.writeString(folder.resolve("backups").resolve(name).resolve("backup.manifest.new"), "");
    }
    commands.shouldSucceed(configuration, "backup", path("backups/one"));
    assertThat(commands.err())
        .contains("an earlier backup to " + path("backups/one") + " did not finish")
        .contains("the backup in " + path("backups/two") + " did not finish")
        .hasLineCount(2);
    assertThat(names("backups/one")).containsExactly("backup.manifest", "data.mdb");
    // Data that is not marked as a backup is not touched.
    Files.delete(folder.resolve("backups/two/backup.manifest.new"));
    assertThat(commands.run(configuration, "backup", path("backups/two")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(folder.resolve("backups/two/data.mdb")).hasContent("half");
  }

  @Test
  void shouldDeleteTheFilesOfKilledExports() throws Exception {
    commands.shouldSucceed(configuration, "import", path("a.ldif"));
    Path left = Files.writeString(folder.resolve(".nyala-export-1.partial"), "dn: dc=half");
    Path other = Files.writeString(folder.resolve(".other.partial"), "x");
    commands.shouldSucceed(configuration, "export", "-o", path("b.ldif"));
    assertThat(left).doesNotExist();
    assertThat(other).exists();
  }

  @Test
  void shouldGiveTheReasonWhenItCannotWrite() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");
    assertThat(commands.run(configuration, "import", "--data=" + file + "/data", path("a.ldif")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .isEqualTo(
            "nyala: the import failed: cannot create the data directory "
                + file
                + "/data: "
                + file
                + ": it is a file, and a folder is expected\n");
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nothing"));
    assertThat(commands.run(configuration, "import", "--data=" + link, path("a.ldif")))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .isEqualTo(
            "nyala: the import failed: cannot create the data directory "
                + link
                + ": it is a link to nothing, and a folder is expected\n");
    assertThat(commands.run(configuration, "import", path("none.ldif"))).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .isEqualTo("nyala: cannot read " + path("none.ldif") + ": no such file\n");
    assertThat(commands.run(configuration, "import", folder.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err())
        .isEqualTo(
            "nyala: cannot read " + folder + ": it is a folder, and an LDIF file is expected\n");
  }

  /** A fault in a page of a mapped file would end the process with an internal error. */
  @Test
  void shouldSayThatTheDiskIsFullHoweverLittleRoomThereIs() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    commands.shouldSucceed(configuration, "sample", "--entries", "10000", "-o", path("b.ldif"));
    for (int kibibytes : new int[] {1, 600, 1500, 3000}) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  "/usr/bin/unshare",
                  "-m",
                  "/bin/sh",
                  "-c",
                  "mount -t tmpfs -o size="
                      + kibibytes
                      + "k tmpfs \"$0\" || exit 99; \"$@\"; c=$?;"
                      + " ls -A \"$0\" >&2; exit $c",
                  disk.toString()));
      command.addAll(
          ProgramJvm.command(
              List.of("-XX:-UsePerfData"),
              List.of(
                  "import", "--data=" + disk + "/x", path("b.ldif"), "--config=" + configuration)));
      Processes.Result result =
          Processes.run(folder, Map.of("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"), command);
      assumeTrue(!result.err().contains("unshare"), "this user may not mount anything");
      assertThat(result.exitCode()).as("%d KiB: %s", kibibytes, result).isEqualTo(ExitCode.FAILED);
      // Progress may come before; the names of remains would come after.
      assertThat(result.err().lines().toList().getLast())
          .as("%d KiB", kibibytes)
          .startsWith("nyala: ")
          .contains("disk is full");
    }
  }
}
