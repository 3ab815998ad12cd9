package org.nyala.cluster.raft;

import java.util.Objects;
import java.util.UUID;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * A member and where the others reach it. Immutable.
 *
 * @param id the id of its folder: who loses the folder is a new member
 * @param host a name or an address
 * @param port from 1 to 65535
 * @param clients the URL by which clients reach its server; empty if nobody is referred to it
 */
public record MemberAddress(UUID id, String host, int port, String clients) {
  /** Checks the bounds. */
  public MemberAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("The host of a member is empty.");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "The port of a member is from 1 to 65535, not " + port + ".");
    }
  }

  /** A member to which no client is referred. */
  MemberAddress(UUID id, String host, int port) {
    this(id, host, port, "");
  }

  static MemberAddress of(RaftPeer peer) {
    String address = peer.getAddress();
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon);
    boolean isBracketed = host.startsWith("[") && host.endsWith("]");
    return new MemberAddress(
        id(peer.getId()),
        isBracketed ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(address.substring(colon + 1)),
        Objects.requireNonNullElse(peer.getClientAddress(), ""));
  }

  static UUID id(RaftPeerId id) {
    return UUID.fromString(id.toString());
  }

  static RaftPeerId peerId(UUID id) {
    return RaftPeerId.valueOf(id.toString());
  }

  /** Returns the peer; priorities are equal, for unequal ones move leadership by themselves. */
  RaftPeer toPeer() {
    return RaftPeer.newBuilder()
        .setId(peerId(id))
        .setAddress(authority())
        .setClientAddress(clients.isEmpty() ? null : clients)
        .setPriority(0)
        .build();
  }

  /** Returns host and port as in a URL. */
  public String authority() {
    return authority(host, port);
  }

  /** Returns a host and a port as in a URL. */
  static String authority(String host, int port) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  @Override
  public String toString() {
    return id + " (" + authority() + ")";
  }
}
