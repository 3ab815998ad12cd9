package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.nyala.error.ExitCode;

/**
 * A server in a separate process, started like {@code nyala serve}.
 *
 * <p>Confined to one thread.
 */
public final class ServerProcess implements AutoCloseable {
  private static final String READY = "nyala ready on ";
  private static final int STOP_SECONDS = 60;
  private static final Pattern JMX = Pattern.compile("JMX: (service:jmx:\\S+/jmxrmi)");

  private final Process process;
  private final Path err;
  private final String firstOutput;
  private final URI url;
  private boolean isKilled;

  private ServerProcess(Process process, Path err, String firstOutput, URI url) {
    this.process = process;
    this.err = err;
    this.firstOutput = firstOutput;
    this.url = url;
  }

  /**
   * Serves an empty directory.
   *
   * @param configuration further lines for the configuration, below {@code nyala}
   * @param options for the JVM
   */
  public static ServerProcess start(Path folder, String configuration, String... options)
      throws IOException {
    configure(folder, configuration);
    return serve(folder, options);
  }

  /** Serves the configuration of a folder. */
  public static ServerProcess serve(Path folder, String... options) throws IOException {
    return start(folder, Map.of(), command(folder, options));
  }

  /**
   * Starts a command that is or becomes a server of the configuration in a folder.
   *
   * @param environment added to that of the tests
   */
  public static ServerProcess start(
      Path folder, Map<String, String> environment, List<String> command) throws IOException {
    Path err = folder.resolve("serve.err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    BufferedReader out = process.inputReader();
    String line = out.readLine();
    // Agents come first.
    StringBuilder before = new StringBuilder();
    while (line != null && !line.contains(READY)) {
      before.append(line).append('\n');
      line = out.readLine();
    }
    assertThat(line).as(Files.readString(err)).isNotNull();
    return new ServerProcess(
        process,
        err,
        before.toString(),
        URI.create(line.substring(line.indexOf(READY) + READY.length())));
  }

  /** Writes the configuration of the present or future server of a folder. */
  public static Path configure(Path folder, String configuration) throws IOException {
    return Files.writeString(
        folder.resolve("test.conf"),
        """
        nyala {
          listeners = ["ldap://127.0.0.1:0"], data = "%s", suffixes = ["dc=example,dc=com"]
          root { dn = "cn=admin", password = admin }, password.scheme = SSHA512, log.security.file = "%s"
          %s
        }
        """
            .formatted(folder.resolve("data"), folder.resolve("logs/security.log"), configuration));
  }

  /** Returns the command that starts a server with the configuration of a folder. */
  public static List<String> command(Path folder, String... options) {
    return ProgramJvm.command(
        List.of(options), List.of("serve", "--config=" + folder.resolve("test.conf")));
  }

  public long pid() {
    return process.pid();
  }

  public int port() {
    return url.getPort();
  }

  public LDAPConnection client(String dn, String password) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port(), dn, password);
  }

  /** Returns its standard output at the time when it was ready. */
  public String firstOutput() {
    return firstOutput;
  }

  /** Returns its log. */
  public String log() throws IOException {
    return Files.readString(err);
  }

  public JMXServiceURL jmxUrl() throws IOException {
    Matcher matcher = JMX.matcher(log());
    assertThat(matcher.find()).as(log()).isTrue();
    return new JMXServiceURL(matcher.group(1));
  }

  // The address is that of a server started by the test.
  @SuppressWarnings("BanJNDI")
  public static JMXConnector connect(JMXServiceURL url, Map<String, ?> environment)
      throws IOException {
    return JMXConnectorFactory.connect(url, environment);
  }

  public JMXConnector connect() throws IOException {
    return connect(jmxUrl(), Map.of());
  }

  public JMXConnector connect(Object credentials) throws IOException {
    return connect(jmxUrl(), Map.of(JMXConnector.CREDENTIALS, credentials));
  }

  /** Kills it. */
  public void kill() {
    isKilled = true;
    process.destroyForcibly().onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join();
  }

  /** Sends the stop signal as a service manager does, and does not wait. */
  public void stop() {
    process.destroy();
  }

  /** Waits until it has ended by itself; returns its exit code. */
  public int exitCode() {
    return process.onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join().exitValue();
  }

  /** Stops it as a service manager does, unless it was killed. */
  @Override
  public void close() {
    process.destroy();
    int exitCode = exitCode();
    assertThat(isKilled || exitCode == ExitCode.OK).as("ends with %d: %s", exitCode, err).isTrue();
  }
}
