package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.Processes;

/**
 * The tarball on a bare machine: no Java, no environment, no network but loopback. It has imported
 * a sample, and no server runs yet.
 */
abstract class TarballTestCase {
  static final Pattern READY = Pattern.compile("nyala ready on (ldap://127\\.0\\.0\\.1:\\d+)\n");

  /** A server lives for seconds, which the second compiler does not earn back. */
  private static final Map<String, String> SERVER =
      Map.of("NYALA_JAVA_OPTS", "-XX:TieredStopAtLevel=1");

  @TempDir static Path folder;

  static Path home;

  @BeforeAll
  static void unpackAndImport() throws Exception {
    // A blank in the path, as on some machines.
    home = Tarball.unpack(folder.resolve("some place"));
    Path ldif = folder.resolve("sample.ldif");
    nyala("sample", "--entries", "500", "-o", ldif.toString()).shouldSucceed();
    nyala("import", ldif.toString()).shouldSucceed();
  }

  @AfterAll
  static void stopWhatRuns() throws Exception {
    nyala("stop");
  }

  static Processes.Result nyala(String... arguments) throws Exception {
    boolean isServer = arguments[0].equals("start") || arguments[0].equals("restart");
    return Processes.run(folder, isServer ? SERVER : Map.of(), command(arguments));
  }

  static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/nyala").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  static String readyUrl(String output) {
    Matcher ready = READY.matcher(output);
    assertThat(ready.find()).as(output).isTrue();
    return ready.group(1);
  }
}
