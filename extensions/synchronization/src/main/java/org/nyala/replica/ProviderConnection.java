package org.nyala.replica;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.CRAMMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequestProperties;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.EXTERNALBindRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SCRAMSHA1BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA512BindRequest;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.util.ssl.HostNameSSLSocketVerifier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.message.Request;
import org.nyala.core.replica.SyncMessage;
import org.nyala.error.ErrorMessages;
import org.nyala.netty.tls.TrustedCertificates;

/**
 * A connection to another server, encrypted and bound.
 *
 * <p>Thread-safe.
 */
public final class ProviderConnection implements Synchronization.Provider, AutoCloseable {
  private static final String BASE = "";
  private static final String NO_ATTRIBUTES = "1.1";
  private static final String OBJECT_CLASS = "objectClass";
  private static final String VENDOR_NAME = "vendorName";
  private static final String NYALA = "Nyala";
  private static final String CONTEXT_CSN = "contextCSN";

  private final LDAPConnection connection;

  private ProviderConnection(LDAPConnection connection) {
    this.connection = connection;
  }

  /**
   * Connects and binds.
   *
   * @param disconnected receives the reason when the connection has ended, on any thread
   * @throws LDAPException if that fails
   * @throws IOException if the files of certificates or of the password cannot be used
   */
  public static ProviderConnection open(ProviderAccess access, Consumer<String> disconnected)
      throws LDAPException, IOException {
    SSLContext tls =
        access.isEncrypted()
            ? TrustedCertificates.context(
                access.encryption().trust(), access.encryption().certificate())
            : null;
    LDAPConnectionOptions options = options(access);
    options.setDisconnectHandler(
        (_, _, _, type, message, cause) ->
            disconnected.accept(ProviderAnswers.ended(type, message, cause)));
    ProviderUrl url = access.url();
    LDAPConnection connection =
        tls != null && url.isTls()
            ? new LDAPConnection(tls.getSocketFactory(), options, url.host(), url.port())
            : new LDAPConnection(options, url.host(), url.port());
    boolean isOpen = false;
    try {
      if (tls != null && !url.isTls()) {
        ExtendedResult started =
            connection.processExtendedOperation(
                new StartTLSExtendedRequest(tls.getSocketFactory()));
        if (!started.getResultCode().equals(ResultCode.SUCCESS)) {
          throw new LDAPException(started);
        }
      }
      BindRequest bind = ProviderBind.request(access.login(), url.host());
      if (bind != null) {
        connection.bind(bind);
      }
      isOpen = true;
      return new ProviderConnection(connection);
    } finally {
      if (!isOpen) {
        connection.close();
      }
    }
  }

  private static LDAPConnectionOptions options(ProviderAccess access) {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setConnectTimeoutMillis(access.connectMillis());
    options.setResponseTimeoutMillis(access.answerMillis());
    options.setUseKeepAlive(true);
    options.setUseTCPNoDelay(true);
    options.setFollowReferrals(false);
    options.setMaxMessageSize(access.mostMessageBytes());
    if (access.encryption().verifiesHost()) {
      options.setSSLSocketVerifier(new HostNameSSLSocketVerifier(true));
    }
    return options;
  }

  private static SearchRequest content(
      @Nullable AsyncSearchResultListener listener,
      String suffix,
      String cookie,
      ContentSyncRequestMode mode) {
    SearchRequest request =
        new SearchRequest(
            listener,
            suffix,
            SearchScope.SUB,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.createPresenceFilter(OBJECT_CLASS),
            "*",
            "+");
    request.addControl(new ManageDsaITRequestControl(true));
    request.addControl(
        new ContentSyncRequestControl(true, mode, new ASN1OctetString(cookie), false));
    return request;
  }

  @Override
  public void synchronize(String suffix, String cookie, SyncListener listener)
      throws LDAPException {
    SearchRequest request =
        content(listener, suffix, cookie, ContentSyncRequestMode.REFRESH_AND_PERSIST);
    request.setIntermediateResponseListener(listener);
    request.setResponseTimeoutMillis(0);
    AsyncRequestID _ = connection.asyncSearch(request);
  }

  @Override
  public @Nullable SyncCookie question(String suffix, String cookie) throws LDAPException {
    SearchRequest request = content(null, suffix, cookie, ContentSyncRequestMode.REFRESH_ONLY);
    // A server that does not know the question would send everything.
    request.setSizeLimit(1);
    try {
      return cookie(connection.search(request));
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.SIZE_LIMIT_EXCEEDED)) {
        throw e;
      }
      return null;
    }
  }

  @Override
  public void question(String suffix, String cookie, Consumer<@Nullable SyncCookie> answered)
      throws LDAPException {
    SearchRequest request =
        content(new Answer(answered), suffix, cookie, ContentSyncRequestMode.REFRESH_ONLY);
    request.setSizeLimit(1);
    request.setResponseTimeoutMillis(0);
    AsyncRequestID _ = connection.asyncSearch(request);
  }

  @Override
  public void ask(Runnable alive) throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            new SignOfLife(alive),
            BASE,
            SearchScope.BASE,
            Filter.createPresenceFilter(OBJECT_CLASS),
            NO_ATTRIBUTES);
    request.setResponseTimeoutMillis(0);
    AsyncRequestID _ = connection.asyncSearch(request);
  }

  /** Takes the answer to a question about a naming context. Thread-safe. */
  @SuppressWarnings("serial")
  private record Answer(Consumer<@Nullable SyncCookie> answered)
      implements AsyncSearchResultListener {
    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      // The answer is in the result.
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // As above.
    }

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
      if (!ProviderAnswers.isDead(result.getResultCode())) {
        answered.accept(cookie(result));
      }
    }
  }

  /** Returns the cookie at the end of a search; null if there is none. */
  private static @Nullable SyncCookie cookie(SearchResult result) {
    try {
      ContentSyncDoneControl done = ContentSyncDoneControl.get(result);
      ASN1OctetString cookie = done == null ? null : done.getCookie();
      return cookie == null ? null : SyncCookie.parse(cookie.stringValue());
    } catch (LDAPException _) {
      return null;
    }
  }

  /** Takes the answer to a question that only matters because it is answered. Thread-safe. */
  @SuppressWarnings("serial")
  private record SignOfLife(Runnable alive) implements AsyncSearchResultListener {
    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      alive.run();
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      alive.run();
    }

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
      if (!ProviderAnswers.isDead(result.getResultCode())) {
        alive.run();
      }
    }
  }

  @Override
  public CsnVector changes(String suffix) throws LDAPException {
    SearchResultEntry entry = connection.getEntry(suffix, CONTEXT_CSN);
    String[] values = entry == null ? null : entry.getAttributeValues(CONTEXT_CSN);
    return values == null
        ? CsnVector.EMPTY
        : CsnVector.ofLargest(Stream.of(values).map(Csn::parse).filter(Objects::nonNull).toList());
  }

  @Override
  public boolean isNyala() throws LDAPException {
    try {
      SearchResultEntry root = connection.getEntry(BASE, VENDOR_NAME);
      return root != null && NYALA.equals(root.getAttributeValue(VENDOR_NAME));
    } catch (LDAPException e) {
      if (ProviderAnswers.isDead(e.getResultCode())) {
        throw e;
      }
      return false;
    }
  }

  /** Returns the connection itself, for searches. */
  public LDAPConnection connection() {
    return connection;
  }

  @Override
  public void close() {
    connection.close();
  }

  /** The requests by which a server binds to another one. Stateless. */
  private static final class ProviderBind {
    private ProviderBind() {}

    /**
     * Returns the request of an identity; null for nobody.
     *
     * @param host the name of the other server, which Kerberos knows it by
     * @throws IOException if the file of its password cannot be read
     */
    static @Nullable BindRequest request(ProviderLogin login, String host)
        throws LDAPException, IOException {
      String user = Objects.requireNonNullElse(login.user(), "");
      String dn = Objects.requireNonNullElse(login.dn(), "");
      String password = login.currentPassword();
      return switch (login.mechanism()) {
        case ProviderLogin.ANONYMOUS -> null;
        case ProviderLogin.SIMPLE -> new SimpleBindRequest(dn, password);
        case ProviderLogin.PLAIN -> new PLAINBindRequest(user, password);
        case ProviderLogin.EXTERNAL -> new EXTERNALBindRequest();
        case ProviderLogin.SCRAM_SHA_1 -> new SCRAMSHA1BindRequest(user, password);
        case ProviderLogin.SCRAM_SHA_256 -> new SCRAMSHA256BindRequest(user, password);
        case ProviderLogin.SCRAM_SHA_512 -> new SCRAMSHA512BindRequest(user, password);
        case ProviderLogin.CRAM_MD5 -> new CRAMMD5BindRequest(user, password);
        case ProviderLogin.DIGEST_MD5 -> digest(login, user, password);
        case ProviderLogin.GSSAPI -> new KerberosBindRequest(login, host);
        default -> throw new IllegalArgumentException(login.mechanism());
      };
    }

    private static BindRequest digest(ProviderLogin login, String user, String password) {
      DIGESTMD5BindRequestProperties properties =
          new DIGESTMD5BindRequestProperties(user, password);
      properties.setRealm(login.realm());
      return new DIGESTMD5BindRequest(properties);
    }
  }

  /**
   * Takes the messages of a provider from the thread that reads its connection, which waits while
   * too many have not been worked off: so TCP tells the provider to wait.
   *
   * <p>Thread-safe.
   */
  @SuppressWarnings("serial")
  record SyncListener(MessageQueue queue)
      implements AsyncSearchResultListener, IntermediateResponseListener {
    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      try {
        queue.put(SyncMessages.of(entry));
      } catch (LDAPException | RuntimeException | Error e) {
        failed(e);
      }
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      queue.fail("the provider sends a reference, though ManageDsaIT was asked for");
    }

    @Override
    public void intermediateResponseReturned(IntermediateResponse response) {
      try {
        SyncMessages.of(response).ifPresent(queue::put);
      } catch (LDAPException | RuntimeException | Error e) {
        failed(e);
      }
    }

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
      try {
        queue.end(SyncMessages.end(result));
      } catch (RuntimeException | Error e) {
        failed(e);
      }
    }

    /**
     * Ends the messages: those that come later must not be taken without the one that is lost,
     * which the SDK would pass over.
     */
    private void failed(Throwable e) {
      queue.fail(
          "the provider sends an answer that cannot be read: "
              + ErrorMessages.printable(ErrorMessages.line(e)));
    }

    /**
     * The messages of a provider as the copy takes them. Nonsense is an {@link LDAPException} or an
     * {@link IllegalArgumentException}. Stateless.
     */
    private static final class SyncMessages {
      /** The approximate memory of a value or an entry beside its bytes. */
      private static final int OBJECT_BYTES = 64;

      private SyncMessages() {}

      /** Reads an entry with its Sync State control. */
      static SyncMessage.EntryState of(SearchResultEntry entry) throws LDAPException {
        ContentSyncStateControl control = ContentSyncStateControl.get(entry);
        if (control == null) {
          throw new IllegalArgumentException("the entry " + entry.getDN() + " has no state");
        }
        SyncMessage.State state =
            switch (control.getState()) {
              case PRESENT -> SyncMessage.State.PRESENT;
              case ADD -> SyncMessage.State.ADD;
              case MODIFY -> SyncMessage.State.MODIFY;
              case DELETE -> SyncMessage.State.DELETE;
            };
        List<Request.AttributeValues> attributes = new ArrayList<>();
        long bytes = OBJECT_BYTES;
        for (Attribute attribute : entry.getAttributes()) {
          List<byte[]> values = List.of(attribute.getValueByteArrays());
          for (byte[] value : values) {
            bytes += value.length + OBJECT_BYTES;
          }
          attributes.add(new Request.AttributeValues(attribute.getName(), values));
        }
        return new SyncMessage.EntryState(
            state,
            control.getEntryUUID(),
            entry.getDN(),
            attributes,
            cookie(control.getCookie()),
            (int) Math.min(bytes, Integer.MAX_VALUE));
      }

      /** Reads a Sync Info message; nothing for one that is none. */
      static Optional<SyncMessage> of(IntermediateResponse response) throws LDAPException {
        if (!ContentSyncInfoIntermediateResponse.SYNC_INFO_OID.equals(response.getOID())) {
          return Optional.empty();
        }
        ContentSyncInfoIntermediateResponse info =
            ContentSyncInfoIntermediateResponse.decode(response);
        SyncCookie cookie = cookie(info.getCookie());
        return switch (info.getType()) {
          case NEW_COOKIE ->
              cookie == null ? Optional.empty() : Optional.of(new SyncMessage.NewCookie(cookie));
          case REFRESH_DELETE ->
              Optional.of(new SyncMessage.PhaseEnd(true, info.refreshDone(), cookie));
          case REFRESH_PRESENT ->
              Optional.of(new SyncMessage.PhaseEnd(false, info.refreshDone(), cookie));
          case SYNC_ID_SET ->
              Optional.of(new SyncMessage.IdSet(identifiers(info), info.refreshDeletes()));
        };
      }

      private static List<UUID> identifiers(ContentSyncInfoIntermediateResponse info) {
        List<UUID> identifiers = info.getEntryUUIDs();
        if (identifiers == null) {
          throw new IllegalArgumentException("a set of entries without identifiers");
        }
        return identifiers;
      }

      /** Reads the result that ends the search. */
      static MessageQueue.End end(SearchResult result) {
        boolean hasCookie = false;
        try {
          ContentSyncDoneControl done = ContentSyncDoneControl.get(result);
          hasCookie = done != null && done.getCookie() != null;
        } catch (LDAPException _) {
          // The same as none.
        }
        String message = result.getDiagnosticMessage();
        boolean isAnswer = !ProviderAnswers.isDead(result.getResultCode());
        return new MessageQueue.End(
            isAnswer ? result.getResultCode().intValue() : MessageQueue.End.FAILED,
            message == null ? "" : message,
            hasCookie);
      }

      private static @Nullable SyncCookie cookie(@Nullable ASN1OctetString value) {
        if (value == null) {
          return null;
        }
        SyncCookie cookie = SyncCookie.parse(value.stringValue());
        if (cookie == null) {
          throw new IllegalArgumentException(
              "the cookie '" + value.stringValue() + "' has no rid, or a part that is malformed");
        }
        return cookie;
      }
    }
  }
}
