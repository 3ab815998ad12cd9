package org.nyala.cli;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The options of {@code nyala access explain} that describe the client.
 *
 * <p>Confined to the thread that executes the command.
 */
final class ExplainedClient {
  private static final String LOCAL = "ldapi";
  private static final String SIMPLE = "simple";

  /** The most bits that connections have, as in {@code security.minimumStrength}. */
  private static final int MOST_BITS = 256;

  @Option(
      names = "--as",
      paramLabel = "DN",
      description = "With explain: the user; '' for a client that has not bound.")
  private @Nullable String name;

  @Option(
      names = "--from",
      paramLabel = "ADDRESS",
      description =
          "With explain: the address that the client connects from, or ldapi for the local socket."
              + " Default: 127.0.0.1.")
  private String from = "127.0.0.1";

  @Option(
      names = "--over",
      paramLabel = "BITS",
      description =
          "With explain: the strength of TLS, or what the local socket counts for. Default: 0, or"
              + " ldapi.strengthBits.")
  private @Nullable Integer over;

  @Option(
      names = "--by",
      paramLabel = "MECHANISM",
      description = "With explain: simple, or the mechanism of SASL. Default: simple.")
  private String mechanism = SIMPLE;

  /** Returns the name of the user as it was given; null if none was. */
  @Nullable String name() {
    return name;
  }

  /**
   * Returns the facts that rules ask for.
   *
   * @param user the name of the user; the empty one for a client that has not bound
   * @throws ParameterException if an option makes no sense
   */
  ClientFacts facts(Dn user, NyalaConfig configuration, CommandSpec command) {
    boolean isLocal = from.equals(LOCAL);
    int bits = bits(isLocal, configuration, command);
    return new ClientFacts(
        user,
        isLocal ? null : address(command),
        isLocal ? 0 : bits,
        0,
        isLocal ? bits : 0,
        user.rdnCount() == 0 ? "" : mechanism(command));
  }

  private int bits(boolean isLocal, NyalaConfig configuration, CommandSpec command) {
    Integer given = over;
    if (given == null) {
      return isLocal ? localBits(configuration) : 0;
    }
    if (given < 0 || given > MOST_BITS) {
      throw wrong(command, "--over: expected a number of bits from 0 to " + MOST_BITS);
    }
    return given;
  }

  private static int localBits(NyalaConfig configuration) {
    for (WireSettings.Listener listener : configuration.wire().listeners()) {
      LocalSocket local = listener.local();
      if (local != null) {
        return local.strengthBits();
      }
    }
    return LocalSocket.STRENGTH_BITS;
  }

  private InetAddress address(CommandSpec command) {
    try {
      return InetAddress.ofLiteral(from);
    } catch (IllegalArgumentException e) {
      throw wrong(
          command, "--from: expected an address such as 192.0.2.1, or ldapi, not '" + from + "'");
    }
  }

  private String mechanism(CommandSpec command) {
    if (mechanism.equalsIgnoreCase(SIMPLE)) {
      return SIMPLE;
    }
    SaslMechanism known = SaslMechanism.of(mechanism);
    if (known == null) {
      throw wrong(
          command,
          "--by: expected simple or a mechanism such as EXTERNAL, not '" + mechanism + "'");
    }
    return known.label();
  }

  private static ParameterException wrong(CommandSpec command, String mistake) {
    return new ParameterException(command.commandLine(), mistake);
  }
}
