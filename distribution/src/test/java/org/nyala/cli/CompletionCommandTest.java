package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;

/** Tests {@code nyala completion} in a bash. */
class CompletionCommandTest {
  @TempDir Path folder;
  private Path script;

  @BeforeEach
  void write() throws Exception {
    LocalCommands nyala = new LocalCommands();
    assertThat(nyala.run("completion")).isEqualTo(ExitCode.OK);
    script = Files.writeString(folder.resolve("nyala-completion"), nyala.out());
  }

  private String complete(String... words) throws Exception {
    String bash =
        "source '"
            + script
            + "'; COMP_WORDS=("
            + String.join(" ", words)
            + "''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=\"${COMP_WORDS[*]}\";"
            + " _complete_nyala; echo \"${COMPREPLY[*]}\"";
    return Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), List.of("/bin/bash", "-c", bash))
        .shouldSucceed()
        .out();
  }

  @Test
  void shouldCompleteCommandsAndOptions() throws Exception {
    assertThat(complete("nyala", "").split("\\s+"))
        .contains("serve", "backup", "restore", "index", "explain", "password", "completion")
        .doesNotContain("train");
    assertThat(complete("nyala", "restore", "--").split("\\s+"))
        .contains("--discard-old", "--data", "--config");
    assertThat(complete("nyala", "index", "").split("\\s+")).contains("rebuild", "drop");
  }
}
