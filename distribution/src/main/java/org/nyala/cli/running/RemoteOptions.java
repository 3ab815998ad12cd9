package org.nyala.cli.running;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ListenAddress;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.LocalHosts;
import org.nyala.error.PasswordFile;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.RemotePort;
import picocli.CommandLine.Option;

/**
 * The options of commands that may manage a server over its JMX port, also on another machine.
 *
 * <p>Confined to the thread that executes the command.
 */
final class RemoteOptions {
  @Option(
      names = "--jmx",
      paramLabel = "HOST:PORT",
      description =
          "Connect to the JMX port of a server (management.jmx), also on another machine; of all"
              + " commands but handover, instead of to the server of the data directory.")
  private @Nullable String address;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "With --jmx: certificates (PEM) to trust, instead of those that the Java runtime trusts."
              + " That of the server must name HOST.")
  private @Nullable Path certificates;

  @Option(
      names = "--no-tls",
      description =
          "With --jmx: do not encrypt, for ports without management.jmxTls. With --user, only to"
              + " this machine.")
  private boolean isClear;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "With --jmx: the user of management.jmxAdmin or management.jmxMonitor.")
  private @Nullable String user;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "With --user: the file with the password in its first line.")
  private @Nullable Path passwordFile;

  /**
   * Connects to the port.
   *
   * @return nothing if the options name none
   * @throws CommandException if the options do not fit together, or it cannot be connected to
   */
  Optional<LocalManagement> connect() {
    boolean isSecret = user != null || passwordFile != null;
    String target = address;
    if (target == null) {
      require(
          certificates == null && !isClear && !isSecret,
          "--ca, --no-tls, --user and --password-file take --jmx");
      return Optional.empty();
    }
    require(
        (user == null) == (passwordFile == null),
        "--user and --password-file: give both or neither");
    require(certificates == null || !isClear, "--ca cannot be combined with --no-tls");
    try {
      ListenAddress port = ListenAddress.parseHostAndPort(target);
      require(
          user == null || !isClear || LocalHosts.isLoopback(port.host()),
          "--user with --no-tls would send the password in clear text to "
              + port.host()
              + ": set management.jmxTls there, or connect to 127.0.0.1 through a tunnel of SSH");
      return Optional.of(
          new RemotePort(port.host(), port.port(), isClear, certificates, user, password())
              .connect());
    } catch (IllegalArgumentException e) {
      throw CommandException.usage("--jmx: " + ErrorMessages.line(e));
    } catch (IOException e) {
      throw CommandException.failed("cannot connect to the JMX port " + target + ": " + reason(e));
    } catch (SecurityException e) {
      throw CommandException.failed(
          "cannot connect to the JMX port " + target + ": " + ErrorMessages.line(e));
    }
  }

  /** Returns the failure of TLS or, without one, the lowest: those of JNDI and RMI are long. */
  private static String reason(IOException e) {
    List<Throwable> causes = ErrorMessages.causes(e);
    for (Throwable each : causes) {
      if (each instanceof SSLException) {
        boolean isOfCertificate =
            causes.stream().anyMatch(GeneralSecurityException.class::isInstance);
        return "TLS: "
            + ErrorMessages.line(each)
            + (isOfCertificate ? "" : "; give --no-tls if management.jmxTls is not set there");
      }
    }
    Throwable root = causes.getLast();
    return root == e ? ErrorMessages.reason(e) : ErrorMessages.line(root);
  }

  private static void require(boolean holds, String mistake) {
    if (!holds) {
      throw CommandException.usage(mistake);
    }
  }

  private @Nullable String password() throws IOException {
    if (passwordFile == null) {
      return null;
    }
    return PasswordFile.read(passwordFile);
  }
}
