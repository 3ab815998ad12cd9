package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/** Data below the root of a {@code chroot} at which no mount begins, so that none is known. */
class ChangedRootTest {
  /** Makes a root of mounts, one for each folder of the root, and runs a script below it. */
  private static final String ENTER =
      """
      cd "$0" || exit 98
      for each in /*; do
        if [ -L "$each" ]; then
          cp -P "$each" .
        elif [ -d "$each" ]; then
          mkdir ".$each" && mount --rbind "$each" ".$each" || exit 99
        fi
      done
      exec chroot . /bin/sh -e "$1"
      """;

  @TempDir Path folder;

  private Processes.Result run(String script) throws Exception {
    Path root = Files.createTempDirectory(folder, "root");
    Path file = Files.writeString(folder.resolve("commands"), script);
    return Processes.run(
        folder,
        Map.of("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"),
        List.of(
            "/usr/bin/unshare", "-m", "/bin/sh", "-c", ENTER, root.toString(), file.toString()));
  }

  private static String nyala(String... arguments) {
    List<String> command =
        new ArrayList<>(ProgramJvm.command(List.of("-XX:-UsePerfData"), List.of(arguments)));
    return command.stream().map(each -> "'" + each + "'").collect(Collectors.joining(" ")) + "\n";
  }

  @Test
  void shouldImportVerifyAndCompact() throws Exception {
    assumeTrue(run("true").exitCode() == 0, "this user may not mount anything");
    Path configuration = ServerProcess.configure(folder, "");
    String ldif = folder.resolve("a.ldif").toString();
    new LocalCommands().shouldSucceed(configuration, "sample", "--entries", "30", "-o", ldif);
    String config = "--config=" + configuration;
    String data = "--data=/store";
    Processes.Result result =
        run(
            nyala("import", config, data, ldif)
                + nyala("import", config, data, "--replace", ldif)
                + nyala("compact", config, data)
                + nyala("verify", config, data)
                + "ls -A /store\n");
    assertThat(result.shouldSucceed().out())
        .contains("imported 43 of 43 entries into /store")
        .doesNotContain("importing");
  }
}
