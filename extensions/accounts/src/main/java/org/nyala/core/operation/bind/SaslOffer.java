package org.nyala.core.operation.bind;

import java.util.EnumSet;
import java.util.Set;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.ChannelBinding;
import org.nyala.core.session.ClientConnection;

/** The mechanisms that work on a connection. Stateless. */
public final class SaslOffer {
  private SaslOffer() {}

  /** Returns the mechanisms that the root DSE names on this connection. */
  public static Set<SaslMechanism> of(OperationContext directory, ClientConnection connection) {
    Set<SaslMechanism> offered = EnumSet.noneOf(SaslMechanism.class);
    for (SaslMechanism mechanism : directory.sasl().mechanisms()) {
      if (isOffered(directory, connection, mechanism)) {
        offered.add(mechanism);
      }
    }
    return offered;
  }

  private static boolean isOffered(
      OperationContext directory, ClientConnection connection, SaslMechanism mechanism) {
    return switch (mechanism) {
      case EXTERNAL -> connection.externalName() != null;
      case PLAIN -> connection.strengthBits() >= bitsOfPassword(directory, connection);
      case SCRAM_SHA_256, SCRAM_SHA_512 -> true;
      case GSSAPI -> {
        GssapiAcceptor acceptor = directory.sasl().gssapi();
        yield acceptor != null && !acceptor.protections(connection.mayProtect()).isEmpty();
      }
      case SCRAM_SHA_256_PLUS, SCRAM_SHA_512_PLUS -> !bindings(connection).isEmpty();
    };
  }

  /** Returns the kinds of data that an exchange can be bound to a connection by; in order. */
  static Set<ChannelBinding> bindings(ClientConnection connection) {
    Set<ChannelBinding> possible = EnumSet.noneOf(ChannelBinding.class);
    for (ChannelBinding each : ChannelBinding.values()) {
      if (connection.channelBinding(each).length > 0) {
        possible.add(each);
      }
    }
    return possible;
  }

  /** Returns the bits of encryption that a password takes on its way over a connection. */
  static int bitsOfPassword(OperationContext directory, ClientConnection connection) {
    return directory.minimumStrength().ofBind(connection.isOnThisMachine());
  }

  /** Returns whether a mechanism is allowed and works on a connection. */
  static boolean includes(
      OperationContext directory, ClientConnection connection, SaslMechanism mechanism) {
    return directory.sasl().mechanisms().contains(mechanism)
        && isOffered(directory, connection, mechanism);
  }
}
