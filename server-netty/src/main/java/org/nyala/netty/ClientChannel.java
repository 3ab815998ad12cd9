package org.nyala.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.nyala.core.message.LdapResult;
import org.nyala.core.session.ClientConnection;

/**
 * The properties of a connection that follow from its channel: addresses and encryption.
 *
 * <p>Confined to the channel's event loop, except as {@link ClientConnection} states.
 */
abstract class ClientChannel extends ChannelInboundHandlerAdapter implements ClientConnection {
  final Channel channel;
  final int number;

  ClientChannel(Channel channel, int number) {
    this.channel = channel;
    this.number = number;
  }

  /** Returns the encryption of the connection. */
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
  public boolean isOnThisMachine() {
    return ChannelAddresses.isOnThisMachine(channel);
  }

  @Override
  public String local() {
    return ChannelAddresses.local(channel);
  }

  @Override
  public Object address() {
    return ChannelAddresses.origin(channel, this);
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
  public LdapResult mayStartTls() {
    return encryption().mayStartTls();
  }

  @Override
  public void startTls() {
    encryption().startTls();
  }
}
