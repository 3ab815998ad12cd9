package org.nyala.replica;

import com.unboundid.asn1.ASN1OctetString;
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
import com.unboundid.ldap.protocol.IntermediateResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldif.LDIFException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider that says what a test has it say. Thread-safe. */
final class ScriptedProvider implements AutoCloseable {
  static final int SUCCESS = 0;
  private static final int UNWILLING = 53;
  private static final String CSN = "20260101000000.000000Z#000000#001#000000";

  /** The answer to the search for changes. */
  @FunctionalInterface
  interface Script {
    /** Sends messages; returns the code of the result that ends the search, -1 for none. */
    int run(Answers answers) throws LDAPException;
  }

  /** The messages of one search. */
  record Answers(LDAPListenerClientConnection connection, int id) {
    void entry(int number, String... lines) throws LDAPException {
      connection.sendSearchResultEntry(
          id,
          entry(lines),
          new ContentSyncStateControl(ContentSyncState.ADD, new UUID(1, number), null));
    }

    private static Entry entry(String... lines) {
      try {
        return new Entry(lines);
      } catch (LDIFException e) {
        throw new IllegalArgumentException(e);
      }
    }

    void complete() throws LDAPException {
      ContentSyncInfoIntermediateResponse end =
          ContentSyncInfoIntermediateResponse.createRefreshDeleteResponse(
              new ASN1OctetString("rid=001,csn=" + CSN), true);
      connection.sendIntermediateResponse(
          id, new IntermediateResponseProtocolOp(end.getOID(), end.getValue()));
    }
  }

  private final LDAPListener listener;
  private final Script script;

  /** The result of searches for a single entry. */
  private final int single;

  final AtomicInteger singles = new AtomicInteger();
  final AtomicInteger searches = new AtomicInteger();

  /** The cookies of the searches for changes, in order. */
  final List<String> cookies = new CopyOnWriteArrayList<>();

  ScriptedProvider(int single, Script script) throws Exception {
    this.single = single;
    this.script = script;
    this.listener = new LDAPListener(new LDAPListenerConfig(0, new Handler(null)));
    listener.startListening();
  }

  String url() {
    return "ldap://127.0.0.1:" + listener.getListenPort();
  }

  @Override
  public void close() {
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
      return new LDAPMessage(id, new SearchResultDoneProtocolOp(code, null, "scripted", null));
    }

    @Override
    public LDAPMessage processBindRequest(int id, BindRequestProtocolOp bind, List<Control> more) {
      return new LDAPMessage(id, new BindResponseProtocolOp(SUCCESS, null, null, null, null));
    }

    @Override
    public LDAPMessage processSearchRequest(
        int id, SearchRequestProtocolOp search, List<Control> more) {
      if (search.getScope() == SearchScope.BASE) {
        singles.incrementAndGet();
        return done(id, single);
      }
      for (Control each : more) {
        if (each instanceof ContentSyncRequestControl sync && sync.getCookie() != null) {
          cookies.add(sync.getCookie().stringValue());
        }
      }
      searches.incrementAndGet();
      try {
        int code = script.run(new Answers(connection, id));
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
