package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.process.FreePorts;

/**
 * A folder with the tarball and imported data: 100,000 people, or {@code -Dnyala.attack.people=N},
 * and the worst entries possible. Immutable.
 *
 * @param home the installation
 */
record HostileDirectory(Path folder, Path home, int people) {
  private static final int REJECTED = 5;
  private static final int IMPORT_MINUTES = 10;

  /** Creates it. */
  static HostileDirectory create(Path folder, Path home) throws Exception {
    return create(folder, home, Integer.getInteger("nyala.attack.people", 100_000));
  }

  /** Creates it with a number of people. */
  static HostileDirectory create(Path folder, Path home, int people) throws Exception {
    HostileDirectory directory = new HostileDirectory(folder, home, people);
    directory.importAll();
    return directory;
  }

  private void importAll() throws IOException, InterruptedException {
    AttackedServer.configure(folder, FreePorts.take());
    Path ldif = folder.resolve("hostile.ldif");
    assertThat(nyala("sample", "--entries", Integer.toString(people), "-o", ldif.toString()))
        .isZero();
    HostileData.append(ldif);
    List<String> command = new ArrayList<>();
    command.add("import");
    command.add("--config=" + folder.resolve("test.conf"));
    command.add(ldif.toString());
    HostileData.appendEndless(ldif);
    // One entry may be rejected, which the exit code of the import reports.
    assertThat(nyala(command.toArray(String[]::new))).isIn(0, REJECTED);
    assertThat(folder.resolve("data")).isNotEmptyDirectory();
    Files.delete(ldif);
  }

  private int nyala(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/nyala").toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("command.out").toFile())
            .start();
    assertThat(process.waitFor(IMPORT_MINUTES, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  AttackedServer serve(String javaOptions) throws IOException {
    return AttackedServer.start(home, folder, javaOptions);
  }

  /** Serves it under the access rules of a block of the configuration. */
  AttackedServer serve(String javaOptions, String access) throws IOException {
    return AttackedServer.start(home, folder, javaOptions, access);
  }
}
