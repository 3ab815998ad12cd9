package org.nyala.core.session;

import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;

/**
 * The facts about the client of a connection that access rules ask for, and the rules for it, as
 * they were for the last operation.
 *
 * <p>Thread-safe: operations that run at once find the facts of one of them, or make their own.
 */
final class KnownClient {
  /** An address that no network has: what is not known is not taken for the local socket. */
  private static final InetAddress NOWHERE = InetAddress.ofLiteral("0.0.0.0");

  private final ClientConnection connection;
  private volatile @Nullable ClientFacts last;
  private volatile @Nullable Kept kept;

  /**
   * The rules for a client, as long as others hold them: a connection that rests for long does not
   * keep rules alive that are no longer in force.
   */
  private record Kept(ClientFacts facts, WeakReference<ClientRules> rules) {}

  KnownClient(ClientConnection connection) {
    this.connection = connection;
  }

  /** Returns the facts about the client when it acts as an identity. */
  ClientFacts facts(BoundIdentity as, String mechanism) {
    Dn name = as.isAnonymous() ? null : as.dn();
    int bits = connection.strengthBits();
    ClientConnection.Layer layer = connection.layer();
    ClientFacts known = last;
    if (known == null
        || known.name() != name
        || !known.mechanism().equals(mechanism)
        || bits(known, layer) != bits) {
      known = facts(name, mechanism, layer, bits);
      last = known;
    }
    return known;
  }

  private static int bits(ClientFacts facts, ClientConnection.Layer layer) {
    return switch (layer) {
      case TLS -> facts.tls();
      case SASL -> facts.sasl();
      case TRANSPORT -> facts.transport();
    };
  }

  private ClientFacts facts(
      @Nullable Dn name, String mechanism, ClientConnection.Layer layer, int bits) {
    InetSocketAddress client = connection.source().client();
    InetAddress address = client == null ? null : client.getAddress();
    return new ClientFacts(
        name,
        address == null && layer != ClientConnection.Layer.TRANSPORT ? NOWHERE : address,
        layer == ClientConnection.Layer.TLS ? bits : 0,
        layer == ClientConnection.Layer.SASL ? bits : 0,
        layer == ClientConnection.Layer.TRANSPORT ? bits : 0,
        name == null ? "" : mechanism);
  }

  /** Returns the rules for a client with these facts, if they are those of the last operation. */
  @Nullable ClientRules rulesFor(ClientFacts facts) {
    Kept known = kept;
    return known != null && known.facts() == facts ? known.rules().get() : null;
  }

  void keep(ClientFacts facts, ClientRules rules) {
    kept = new Kept(facts, new WeakReference<>(rules));
  }
}
