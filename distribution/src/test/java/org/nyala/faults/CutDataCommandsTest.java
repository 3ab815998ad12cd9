package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/**
 * Runs commands on a data file whose end is missing, each in a process of its own: reading beyond
 * the end would kill it.
 */
class CutDataCommandsTest {
  private static final int PAGE = 4096;

  @TempDir Path folder;

  private Processes.Result run(String... command) throws Exception {
    List<String> line = new ArrayList<>(List.of(command));
    line.add("--config=" + folder.resolve("test.conf"));
    return Processes.run(folder, Map.of(), ProgramJvm.command(List.of("-Xmx256m"), line));
  }

  @Test
  void shouldSayThatTheFileWasCut() throws Exception {
    Path file = ServerProcess.configure(folder, "");
    LocalCommands commands = new LocalCommands();
    Path ldif = folder.resolve("sample.ldif");
    assertThat(commands.run(file, "sample", "--entries=300", "-o", ldif.toString())).isZero();
    assertThat(commands.run(file, "import", ldif.toString())).as(commands.err()).isZero();
    Path data = folder.resolve("data/data.mdb");
    try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE)) {
      channel.truncate(Files.size(data) / PAGE / 2 * PAGE);
    }
    List<String[]> all =
        List.of(
            new String[] {"serve"},
            new String[] {"export", "-o", folder.resolve("export.ldif").toString()},
            new String[] {"backup", folder.resolve("backup").toString()},
            new String[] {"verify"},
            new String[] {"index", "list"},
            new String[] {"compact"},
            new String[] {"changes"});
    for (String[] command : all) {
      Processes.Result result = run(command);
      assertThat(result.err()).as(command[0]).contains("data.mdb was cut: it has ");
      assertThat(result.exitCode()).as("%s: %s", command[0], result).isEqualTo(ExitCode.UNSOUND);
    }
  }
}
