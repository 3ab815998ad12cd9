package org.nyala.loadtest.engine;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A server over TLS that answers every search by success, without entries. Thread-safe. */
final class EmptyAnswers implements AutoCloseable {
  private final ServerSocket listening;
  private final @Nullable Callable<SSLContext> contexts;
  private final AtomicInteger answered = new AtomicInteger();

  private EmptyAnswers(ServerSocket listening, @Nullable Callable<SSLContext> contexts) {
    this.listening = listening;
    this.contexts = contexts;
  }

  /** Serves the connections of a socket that encrypts them. */
  static EmptyAnswers start(ServerSocket listening) {
    return started(new EmptyAnswers(listening, null));
  }

  /** Serves connections of which each has a context of its own, without the sessions of others. */
  static EmptyAnswers forgetful(ServerSocket listening, Callable<SSLContext> contexts) {
    return started(new EmptyAnswers(listening, contexts));
  }

  private static EmptyAnswers started(EmptyAnswers server) {
    Thread.ofPlatform().daemon().start(server::accept);
    return server;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        Thread.ofPlatform().daemon().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private void serve(Socket accepted) {
    try (Socket socket = encrypted(accepted)) {
      ASN1StreamReader in = new ASN1StreamReader(new BufferedInputStream(socket.getInputStream()));
      LDAPMessage request = LDAPMessage.readFrom(in, true);
      while (request != null
          && request.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_SEARCH_REQUEST) {
        answered.incrementAndGet();
        socket
            .getOutputStream()
            .write(
                StubServer.encode(
                    request.getMessageID(), new SearchResultDoneProtocolOp(0, null, null, null)));
        request = LDAPMessage.readFrom(in, true);
      }
    } catch (Exception e) {
      // The client closed the connection.
    }
  }

  private Socket encrypted(Socket accepted) throws Exception {
    Callable<SSLContext> own = contexts;
    if (own == null) {
      return accepted;
    }
    SSLSocket socket =
        (SSLSocket) own.call().getSocketFactory().createSocket(accepted, null, 0, true);
    socket.setUseClientMode(false);
    return socket;
  }

  /** The number of searches so far. */
  int answered() {
    return answered.get();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
