package org.nyala.loadtest.engine;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ReferralUrl;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.result.Occurrence;
import org.nyala.loadtest.workload.Security;

/**
 * Follows the referrals of one client on one connection from server to server, over connections of
 * its own, under the same identity. The client gets one answer: the entries of all servers, and the
 * last result. What cannot be followed is the result code referral. Confined to the channel's event
 * loop.
 */
final class ReferralChase extends LoadConnection.Conversation {
  private static final byte[] NONE = {};
  private static final int BIND = 0x60;

  /**
   * A referral that is to be followed.
   *
   * @param urls the URLs, of which one is enough
   * @param depth the number of hops to there
   */
  private record Hop(List<String> urls, int depth, boolean isContinued) {}

  private final SimulatedClient client;
  private final LoadConnection origin;
  private final boolean isServiceBound;
  private final int mostHops;
  private final Map<InetSocketAddress, LoadConnection> connections = new HashMap<>();
  private final Set<LoadConnection> opening = new HashSet<>();
  private final Deque<Hop> pending = new ArrayDeque<>();
  private final Set<String> visited = new HashSet<>();
  private final List<List<String>> found = new ArrayList<>();
  private byte[] request = NONE;
  private byte[] bind = NONE;
  private byte[] moved = NONE;
  private int expectedTag;
  private int depth;
  private boolean isFollowing;
  private boolean isBinding;
  private @Nullable LoadConnection current;

  ReferralChase(SimulatedClient client, LoadConnection origin, boolean isServiceBound) {
    this.client = client;
    this.origin = origin;
    this.isServiceBound = isServiceBound;
    this.mostHops = client.loop().settings().options().rules().referralHops();
  }

  /** Keeps the request that the client sends to its own server. */
  void sent(ByteBuf out, int start) {
    request = new byte[out.writerIndex() - start];
    out.getBytes(start, request);
    if (isBind(request)) {
      bind = request;
    }
    cancel();
  }

  private static boolean isBind(byte[] message) {
    int id = Pdu.messageIdPlace(message);
    return (message[id + 3] & 0xff) == BIND;
  }

  /** Stops following: the answer is not awaited any longer. */
  void cancel() {
    isFollowing = false;
    isBinding = false;
    pending.clear();
    visited.clear();
    found.clear();
    LoadConnection asked = current;
    current = null;
    if (asked != null) {
      asked.forget(this);
    }
  }

  /** Closes the connections to other servers. */
  void close() {
    cancel();
    connections.values().forEach(LoadConnection::close);
    connections.clear();
    opening.clear();
  }

  /** Takes the URLs of a referral, or of a reference of a search. */
  @Override
  void referral(BerCursor urls) {
    List<String> texts = new ArrayList<>();
    while (!urls.isAtEnd() && urls.next(Pdu.OCTET_STRING)) {
      texts.add(urls.text());
    }
    found.add(texts);
  }

  /**
   * Begins to follow what an answer of the client's own server refers to.
   *
   * @return false if the answer is the last one
   */
  boolean follows(int tag, int resultCode) {
    if (!isReferring(tag, resultCode)) {
      found.clear();
      return false;
    }
    isFollowing = true;
    expectedTag = tag;
    depth = 0;
    takeFound(resultCode);
    next();
    return true;
  }

  private boolean isReferring(int tag, int resultCode) {
    return !found.isEmpty()
        && (resultCode == ResultNames.REFERRAL || resultCode == 0 && tag == Pdu.SEARCH_DONE);
  }

  private void takeFound(int resultCode) {
    for (List<String> urls : found) {
      pending.add(new Hop(urls, depth + 1, resultCode == 0));
    }
    found.clear();
  }

  private void next() {
    Hop hop = pending.poll();
    if (hop == null) {
      finish(0);
      return;
    }
    depth = hop.depth;
    if (depth > mostHops) {
      fail("over more than " + mostHops + " servers one after the other");
      return;
    }
    Security.Kind kind = client.loop().settings().security().kind();
    for (String text : hop.urls) {
      ReferralUrl url = ReferralUrl.of(text);
      if (url != null && url.isEncrypted() == (kind == Security.Kind.FROM_THE_START)) {
        follow(text, url, hop.isContinued);
        return;
      }
    }
    fail("to " + String.join(" ", hop.urls) + ", which is no URL with the same encryption");
  }

  private void follow(String text, ReferralUrl url, boolean isContinued) {
    byte[] asked = url.applied(request, isContinued);
    InetSocketAddress own = client.loop().servers().get(origin.server());
    InetSocketAddress server =
        url.host().isEmpty() ? own : client.loop().addressOf(url.host(), url.port());
    if (asked == null || server.isUnresolved()) {
      fail(
          "to "
              + text
              + (asked == null ? ", since it has controls or binds by SASL" : ", an unknown host"));
      return;
    }
    moved = asked;
    if (!visited.add(server + "/" + url.dn() + "/" + url.scope() + "/" + url.filter())) {
      fail("in a circle, again to " + text);
      return;
    }
    LoadConnection connection =
        connections.computeIfAbsent(
            server,
            to ->
                new LoadConnection(
                    client.loop(), this, isServiceBound && !isBind(request), serverOf(to)));
    current = connection;
    if (connection.isReady()) {
      ask(connection);
    } else if (opening.add(connection)) {
      connection.open();
    }
  }

  private int serverOf(InetSocketAddress address) {
    return client.loop().serverOf(address);
  }

  private void ask(LoadConnection connection) {
    client
        .operationStatistics()
        .occurred(Occurrence.FOLLOWED_REFERRAL, client.intendedNanos(), System.nanoTime());
    isBinding = !isServiceBound && bind.length > 0 && !isBind(moved);
    connection.send(this, isBinding ? bind : moved);
  }

  private void finish(int resultCode) {
    isFollowing = false;
    current = null;
    pending.clear();
    visited.clear();
    client.result(origin, expectedTag, resultCode);
  }

  private void fail(String why) {
    if (client.operationStatistics().wantsExample()) {
      client.operationStatistics().example("a referral could not be followed " + why);
    }
    finish(ResultNames.REFERRAL);
  }

  @Override
  int slot() {
    return 0;
  }

  @Override
  long operation() {
    return client.operation();
  }

  @Override
  void ready(LoadConnection connection) {
    opening.remove(connection);
    if (isFollowing && connection == current) {
      ask(connection);
    }
  }

  @Override
  void lost(LoadConnection connection) {
    opening.remove(connection);
    if (isFollowing && connection == current) {
      isBinding = false;
      fail("over a connection that was lost or could not be opened");
    }
  }

  @Override
  boolean wants(LoadConnection connection) {
    return false;
  }

  @Override
  void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
    client.entry(in, dnStart, dnEnd, attributesStart, attributesEnd);
  }

  @Override
  void control(BerCursor name, BerCursor value) {
    client.control(name, value);
  }

  @Override
  void intermediate(BerCursor name, BerCursor value) {
    client.intermediate(name, value);
  }

  @Override
  void responseValue(BerCursor value) {
    client.responseValue(value);
  }

  @Override
  void serverCredentials(BerCursor value) {
    client.serverCredentials(value);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (!isFollowing || tag != (isBinding ? Pdu.BIND_RESPONSE : expectedTag)) {
      answering.malformed();
    } else if (isBinding && resultCode == 0) {
      isBinding = false;
      answering.send(this, moved);
    } else if (!isBinding && isReferring(tag, resultCode)) {
      takeFound(resultCode);
      next();
    } else if (!isBinding && resultCode == 0 && tag == Pdu.SEARCH_DONE) {
      next();
    } else {
      isBinding = false;
      finish(resultCode);
    }
  }
}
