package org.nyala.loadtest.engine;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/** A server that answers, or fails to, as a test says. Thread-safe. */
public final class StubServer implements AutoCloseable {
  /** The reaction to a request, on the thread of the connection. */
  @FunctionalInterface
  public interface Behaviour {
    void answer(LDAPMessage request, int number, OutputStream out) throws Exception;
  }

  private final ServerSocket listening;
  private final Behaviour behaviour;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private StubServer(ServerSocket listening, Behaviour behaviour) {
    this.listening = listening;
    this.behaviour = behaviour;
  }

  public static StubServer start(Behaviour behaviour) throws IOException {
    StubServer server =
        new StubServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), behaviour);
    Thread.ofPlatform().daemon().start(server::accept);
    return server;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        socket.setTcpNoDelay(true);
        connections.add(socket);
        Thread.ofPlatform().daemon().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      ASN1StreamReader in = new ASN1StreamReader(new BufferedInputStream(socket.getInputStream()));
      OutputStream out = socket.getOutputStream();
      LDAPMessage request = LDAPMessage.readFrom(in, true);
      while (request != null
          && request.getProtocolOpType() != LDAPMessage.PROTOCOL_OP_TYPE_UNBIND_REQUEST) {
        answer(request, out);
        request = LDAPMessage.readFrom(in, true);
      }
    } catch (Exception e) {
      // The client or the behaviour closed the connection.
    } finally {
      connections.remove(socket);
    }
  }

  /** Answers; a failure is kept before the client can see that its connection ends. */
  private void answer(LDAPMessage request, OutputStream out) throws Exception {
    try {
      behaviour.answer(request, requests.getAndIncrement(), out);
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
      throw e;
    }
  }

  int requests() {
    return requests.get();
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listening.getLocalPort());
  }

  LoadSettings settings(JobKind job, int connections, double seconds, LoadRate pace) {
    return new LoadSettings(
            job,
            address(),
            connections,
            1,
            TestDuration.of(seconds, 0),
            People.of(1000),
            Account.ANONYMOUS,
            0,
            JobOptions.DEFAULT)
        .at(pace);
  }

  /**
   * Searches a server that behaves in some way.
   *
   * @param operations of each connection at most; 0 for as many as fit
   */
  public static LoadReport run(
      Behaviour behaviour, int connections, double seconds, long operations, LoadRate pace)
      throws Exception {
    try (StubServer server = start(behaviour)) {
      LoadSettings settings = server.settings(JobKind.SEARCH, connections, seconds, pace);
      return LoadRun.run(bounded(settings, operations));
    }
  }

  /** The same test, of which each client does so many operations. */
  static LoadSettings bounded(LoadSettings settings, long operations) {
    return new LoadSettings(
        settings.job(),
        settings.server(),
        settings.connections(),
        settings.threads(),
        new TestDuration(
            settings.extent().seconds(), settings.extent().warmupSeconds(), operations),
        settings.people(),
        settings.account(),
        settings.pid(),
        settings.options(),
        settings.security(),
        settings.pace());
  }

  /**
   * Stops listening and closes all connections.
   *
   * @throws AssertionError if the behaviour failed an assertion or had a defect: the first of these
   *     is its cause
   */
  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : connections) {
      socket.close();
    }
    Throwable first = failure.get();
    if (first != null) {
      throw new AssertionError("the behaviour failed: " + first.getMessage(), first);
    }
  }

  /** The right answer to a search by uid, or to a bind. */
  public static byte[] right(LDAPMessage request) {
    if (request.getProtocolOpType() == 0x60) {
      return encode(request.getMessageID(), new BindResponseProtocolOp(0, null, null, null, null));
    }
    String uid = uid(request);
    return answer(
        request.getMessageID(), entry("uid=" + uid + ",ou=People,dc=example,dc=com", uid));
  }

  static String uid(LDAPMessage request) {
    return request.getSearchRequestProtocolOp().getFilter().getAssertionValue();
  }

  /** An answer with these entries and success. */
  static byte[] answer(int messageId, SearchResultEntryProtocolOp... entries) {
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    for (SearchResultEntryProtocolOp entry : entries) {
      out.writeBytes(encode(messageId, entry));
    }
    out.writeBytes(encode(messageId, new SearchResultDoneProtocolOp(0, null, null, null)));
    return out.toByteArray();
  }

  static SearchResultEntryProtocolOp entry(String dn, String uid) {
    return new SearchResultEntryProtocolOp(
        dn,
        List.of(
            new Attribute("objectClass", "top", "person"),
            new Attribute("uid", "another", uid),
            new Attribute("cn", "Somebody")));
  }

  static byte[] encode(int messageId, ProtocolOp operation) {
    return new LDAPMessage(messageId, operation).encode().encode();
  }
}
