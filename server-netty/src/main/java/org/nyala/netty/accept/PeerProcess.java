package org.nyala.netty.accept;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.nyala.core.session.ClientSource;

/**
 * The process at the other end of a local socket, as the operating system knows it from the time of
 * the connection (unix(7), {@code SO_PEERCRED}).
 *
 * <p>Immutable.
 *
 * @param uid the number of its user
 * @param gid the number of its group
 * @param pid its own number when it has connected; 0 if it is not known
 */
public record PeerProcess(int uid, int gid, int pid) {
  /**
   * Returns the process at the other end of a channel; null if the channel is not a local socket,
   * or its transport cannot tell.
   */
  public static @Nullable PeerProcess of(Channel channel) {
    try {
      PeerCredentials credentials =
          switch (channel) {
            case EpollDomainSocketChannel epoll -> epoll.peerCredentials();
            case IoUringDomainSocketChannel ring -> ring.peerCredentials();
            default -> null;
          };
      return credentials == null || credentials.gids().length == 0
          ? null
          : new PeerProcess(credentials.uid(), credentials.gids()[0], credentials.pid());
    } catch (IOException _) {
      // The client has gone already.
      return null;
    }
  }

  /** The user of processes, whatever their group is. */
  public record User(int uid) {}

  /** Returns the user on whose account an anonymous client of this process is. */
  public User user() {
    return new User(uid);
  }

  /** Returns the process as the origin of a connection. */
  public ClientSource source() {
    return new ClientSource(null, null, new ClientSource.LocalProcess(uid, gid, pid));
  }

  /** Returns the identity for SASL EXTERNAL, as slapd names it (slapd.conf(5), {@code authz}). */
  public String name() {
    return "gidNumber="
        + Integer.toUnsignedString(gid)
        + "+uidNumber="
        + Integer.toUnsignedString(uid)
        + ",cn=peercred,cn=external,cn=auth";
  }
}
