package org.nyala.replica;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.message.Request;
import org.nyala.core.replica.SyncMessage;
import org.nyala.error.ErrorMessages;

/**
 * Takes the messages of a provider from the thread that reads its connection, which waits while too
 * many have not been worked off: so TCP tells the provider to wait.
 *
 * <p>Thread-safe.
 */
@SuppressWarnings("serial")
final class SyncListener implements AsyncSearchResultListener, IntermediateResponseListener {
  private final transient MessageQueue queue;

  SyncListener(MessageQueue queue) {
    this.queue = queue;
  }

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
   * Ends the messages: those that come later must not be taken without the one that is lost, which
   * the SDK would pass over.
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
