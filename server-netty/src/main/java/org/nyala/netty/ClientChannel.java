package org.nyala.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.sasl.SubjectName;
import org.nyala.core.session.ChannelBinding;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.ClientSource;
import org.nyala.netty.accept.ChannelAddresses;
import org.nyala.netty.accept.PeerProcess;

/**
 * The properties of a connection that follow from its channel: addresses and encryption.
 *
 * <p>Confined to the channel's event loop, except as {@link ClientConnection} states.
 */
abstract class ClientChannel extends ChannelInboundHandlerAdapter implements ClientConnection {
  final Channel channel;
  final int number;

  /** The process at the other end; null if the other end is not known to be one of this machine. */
  private final @Nullable PeerProcess process;

  /** Found when it is first asked for, which is after a proxy has told the client's address. */
  private volatile @Nullable ClientSource source;

  ClientChannel(Channel channel, int number) {
    this.channel = channel;
    this.number = number;
    this.process = PeerProcess.of(channel);
  }

  abstract ConnectionEncryption encryption();

  @Override
  public int number() {
    return number;
  }

  @Override
  public String peer() {
    return ChannelAddresses.peer(channel);
  }

  @Override
  public ClientSource source() {
    ClientSource known = source;
    if (known == null) {
      known = process == null ? ChannelAddresses.source(channel) : process.source();
      source = known;
    }
    return known;
  }

  @Override
  public boolean isOnThisMachine() {
    return ChannelAddresses.isOnThisMachine(channel);
  }

  @Override
  public @Nullable String externalName() {
    if (process != null) {
      return process.name();
    }
    X509Certificate certificate = clientCertificate();
    return certificate == null ? null : SubjectName.of(certificate);
  }

  @Override
  public byte[] channelBinding(ChannelBinding kind) {
    return encryption().binding(kind);
  }

  @Override
  public String local() {
    return ChannelAddresses.local(channel);
  }

  @Override
  public Object address() {
    Object origin = ChannelAddresses.origin(channel);
    return origin == null ? this : origin;
  }

  @Override
  public int descriptor() {
    return ChannelAddresses.descriptor(channel, number);
  }

  @Override
  public int strengthBits() {
    return encryption().strengthBits();
  }

  @Override
  public Layer layer() {
    return encryption().layer();
  }

  @Override
  public @Nullable X509Certificate clientCertificate() {
    return encryption().clientCertificate();
  }

  @Override
  public LdapResult mayStartTls() {
    return encryption().mayStartTls();
  }

  @Override
  public boolean mayProtect() {
    return encryption().mayProtect();
  }

  @Override
  public void startTls() {
    encryption().startTls();
  }
}
