package org.nyala.cli.store;

import com.unboundid.ldap.listener.LDAPListener;
import com.unboundid.ldap.listener.LDAPListenerClientConnection;
import com.unboundid.ldap.listener.LDAPListenerConfig;
import com.unboundid.ldap.listener.LDAPListenerRequestHandler;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultReferenceProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A server that answers searches as a test has it do. Thread-safe. */
final class ScriptedServer implements AutoCloseable {
  static final int SUCCESS = 0;
  static final int SIZE_LIMIT = 4;
  static final int UNAVAILABLE_CONTROL = 12;
  private static final int NO_ANSWER = -1;
  private static final int UNWILLING = 53;

  /** The answer to a search. */
  @FunctionalInterface
  interface Script {
    /** Sends messages; returns the code of the result that ends the search, -1 for none. */
    int run(Answers answers) throws LDAPException;
  }

  /** The messages of one search. */
  record Answers(
      LDAPListenerClientConnection connection,
      int id,
      boolean wantsSubentries,
      CountDownLatch end) {
    void entry(String dn, Attribute... attributes) throws LDAPException {
      connection.sendSearchResultEntry(id, new Entry(dn, attributes));
    }

    void reference(String url) throws LDAPException {
      connection.sendSearchResultReference(id, new SearchResultReferenceProtocolOp(List.of(url)));
    }

    int disconnect() {
      try {
        connection.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return NO_ANSWER;
    }

    /** Sends nothing any more until the server is closed. */
    int hang() {
      try {
        end.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      return NO_ANSWER;
    }
  }

  private final LDAPListener listener;
  private final Script script;
  private final String text;
  private final CountDownLatch end = new CountDownLatch(1);

  /**
   * Begins to listen.
   *
   * @param text the diagnostic message of results
   */
  ScriptedServer(String text, Script script) throws Exception {
    this.text = text;
    this.script = script;
    this.listener = new LDAPListener(new LDAPListenerConfig(0, new Handler(null)));
    listener.startListening();
  }

  String address() {
    return "ldap://127.0.0.1:" + listener.getListenPort();
  }

  @Override
  public void close() {
    end.countDown();
    listener.shutDown(true);
  }

  private final class Handler extends LDAPListenerRequestHandler {
    private final LDAPListenerClientConnection connection;

    Handler(LDAPListenerClientConnection connection) {
      this.connection = connection;
    }

    @Override
    public LDAPListenerRequestHandler newInstance(LDAPListenerClientConnection client) {
      return new Handler(client);
    }

    private LDAPMessage done(int id, int code) {
      return new LDAPMessage(id, new SearchResultDoneProtocolOp(code, null, text, null));
    }

    @Override
    public LDAPMessage processBindRequest(int id, BindRequestProtocolOp bind, List<Control> more) {
      return new LDAPMessage(id, new BindResponseProtocolOp(SUCCESS, null, null, null, null));
    }

    @Override
    public LDAPMessage processSearchRequest(
        int id, SearchRequestProtocolOp search, List<Control> more) {
      boolean wantsSubentries =
          more.stream()
              .anyMatch(
                  each ->
                      each.getOID().equals(RFC3672SubentriesRequestControl.SUBENTRIES_REQUEST_OID));
      try {
        int code = script.run(new Answers(connection, id, wantsSubentries, end));
        // The SDK's listener sends nothing then.
        return code < 0 ? null : done(id, code);
      } catch (LDAPException _) {
        return done(id, UNWILLING);
      }
    }

    @Override
    public LDAPMessage processAddRequest(int id, AddRequestProtocolOp r, List<Control> more) {
      return done(id, UNWILLING);
    }

    @Override
    public LDAPMessage processCompareRequest(
        int id, CompareRequestProtocolOp r, List<Control> more) {
      return done(id, UNWILLING);
    }

    @Override
    public LDAPMessage processDeleteRequest(int id, DeleteRequestProtocolOp r, List<Control> more) {
      return done(id, UNWILLING);
    }

    @Override
    public LDAPMessage processExtendedRequest(
        int id, ExtendedRequestProtocolOp r, List<Control> more) {
      return done(id, UNWILLING);
    }

    @Override
    public LDAPMessage processModifyRequest(int id, ModifyRequestProtocolOp r, List<Control> more) {
      return done(id, UNWILLING);
    }

    @Override
    public LDAPMessage processModifyDNRequest(
        int id, ModifyDNRequestProtocolOp r, List<Control> more) {
      return done(id, UNWILLING);
    }
  }
}
