package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/**
 * Starts servers whose data was there and is gone, as after a start of the machine without one of
 * its disks.
 */
class MissingDataTest {
  private static final String TOP = "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  private void assertRefused(String words) {
    int exitCode = commands.run(folder.resolve("test.conf"), "serve");
    assertThat(exitCode).as(commands.err()).isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).contains(words);
    assertThat(folder.resolve("data")).doesNotExist();
  }

  private void assertServes(String configuration) throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, configuration)) {
      assertThat(server.port()).isPositive();
    }
  }

  @Test
  void shouldNotCreateDataWhereAServerHadSome() throws Exception {
    assertServes("");
    Path away = Files.move(folder.resolve("data"), folder.resolve("away"));
    assertRefused("though there was some: is its file system mounted?");
    Files.move(away, folder.resolve("data"));
    assertServes("");
    Files.move(folder.resolve("data"), away);
    assertServes("store.create = always");
  }

  /** The files by which commands find it are in the directory that is gone. */
  @Test
  void shouldNotSayOfAServerWithoutItsDataThatItHasEnded() throws Exception {
    Path configuration = folder.resolve("test.conf");
    try (ServerProcess server = ServerProcess.start(folder, "")) {
      Path away = Files.move(folder.resolve("data"), folder.resolve("away"));
      for (String command : new String[] {"status", "stop", "reload"}) {
        assertThat(commands.run(configuration, command)).isEqualTo(ExitCode.NOT_RUNNING);
        assertThat(commands.out() + commands.err())
            .contains("not running, or cannot be found: there was data in ", "mounted?");
      }
      Files.move(away, folder.resolve("data"));
      eventually("it lives", () -> commands.run(configuration, "status", "--live") == ExitCode.OK);
      assertThat(server.port()).isPositive();
    }
    assertThat(commands.run(configuration, "status")).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(commands.out()).doesNotContain("cannot be found");
  }

  @Test
  void shouldBeginAnewWhenTheNoteIsDeleted() throws Exception {
    assertServes("");
    Files.move(folder.resolve("data"), folder.resolve("away"));
    Files.delete(folder.resolve("test.conf.data"));
    assertServes("");
    assertThat(Files.readAllLines(folder.resolve("test.conf.data")))
        .containsExactly(folder.resolve("data").toString());
  }

  @Test
  void shouldNotCreateDataWhereAnImportHadMadeSome() throws Exception {
    Path configuration = ServerProcess.configure(folder, "");
    Path ldif = Files.writeString(folder.resolve("top.ldif"), TOP);
    assertThat(commands.run(configuration, "import", ldif.toString())).isZero();
    assertThat(commands.err()).doesNotContain("mounted");
    Files.move(folder.resolve("data"), folder.resolve("away"));
    assertRefused("though there was some");
    assertThat(commands.run(configuration, "import", ldif.toString())).isZero();
    assertThat(commands.err()).contains("there was data in ", "is its file system mounted?");
    assertServes("");
  }

  @Test
  void shouldNotCreateDataIfTheConfigurationForbidsIt() throws Exception {
    Path configuration = ServerProcess.configure(folder, "store.create = never");
    assertRefused("store.create = never");
    Path ldif = Files.writeString(folder.resolve("top.ldif"), TOP);
    assertThat(commands.run(configuration, "import", ldif.toString())).isZero();
    assertServes("store.create = never");
    assertThat(folder.resolve("test.conf.data")).doesNotExist();
  }
}
