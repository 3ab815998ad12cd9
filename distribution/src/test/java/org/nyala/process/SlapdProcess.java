package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Debian's slapd with a configuration that has a certificate: it listens with LDAP, LDAPS and
 * LDAPI, and logs what clients do.
 *
 * <p>Confined to one thread.
 */
public final class SlapdProcess implements AutoCloseable {
  private final Process process;
  private final List<String> urls;
  private final Path log;

  private SlapdProcess(Process process, List<String> urls, Path log) {
    this.process = process;
    this.urls = urls;
    this.log = log;
  }

  /**
   * Starts it, and waits until it listens.
   *
   * @param folder the folder of its log and socket
   */
  public static SlapdProcess start(Path folder, Path configuration) throws IOException {
    Path log = folder.resolve("slapd.log");
    List<String> urls = List.of(free("ldap"), free("ldaps"), ldapi(folder.resolve("slapd.socket")));
    Process process =
        Processes.start(
            folder,
            Map.of(),
            List.of(
                "/usr/sbin/slapd",
                "-d",
                "stats",
                "-f",
                configuration.toString(),
                "-h",
                String.join(" ", urls)),
            log,
            log);
    SlapdProcess started = new SlapdProcess(process, urls, log);
    eventually(
        "slapd listens",
        () -> {
          assertThat(process.isAlive()).as("slapd lives: %s", started.log()).isTrue();
          // Some time after the log says that it starts.
          return started.log().contains("slapd starting")
              && Listening.of(process.pid()).size() == 2;
        });
    return started;
  }

  private static String free(String scheme) {
    return scheme + "://127.0.0.1:" + FreePorts.take();
  }

  private static String ldapi(Path socket) {
    return "ldapi://" + socket.toString().replace("/", "%2F");
  }

  /** Returns its URLs: LDAP, LDAPS, LDAPI. */
  public List<String> urls() {
    return urls;
  }

  /** Returns what it has logged so far. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops it, and waits until it has ended. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
