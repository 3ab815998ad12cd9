package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.EntryChangeNotificationControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedResult;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedResult;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/**
 * Tests extended operations and persistent searches by UnboundID's client against a real server.
 */
class UnboundIdExtensionsTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADA = "uid=ada,ou=People,dc=example,dc=com";

  @TempDir static Path folder;

  private static ServedDirectory served;

  private LDAPConnection connection;

  @BeforeAll
  static void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif");
  }

  @AfterAll
  static void stop() {
    served.close();
  }

  @BeforeEach
  void connect() throws LDAPException {
    connection =
        new LDAPConnection("127.0.0.1", served.port(), "cn=admin,dc=example,dc=com", "admin");
  }

  @AfterEach
  void disconnect() {
    connection.close();
  }

  @Test
  void shouldChangePasswords() throws LDAPException {
    PasswordModifyExtendedResult generated =
        (PasswordModifyExtendedResult)
            connection.processExtendedOperation(
                new PasswordModifyExtendedRequest(ADA, (String) null, null));
    assertThat(generated.getResultCode()).isEqualTo(ResultCode.SUCCESS);
    try (LDAPConnection ada =
        new LDAPConnection("127.0.0.1", served.port(), ADA, generated.getGeneratedPassword())) {
      ExtendedResult changed =
          ada.processExtendedOperation(
              new PasswordModifyExtendedRequest(generated.getGeneratedPassword(), "chosen"));
      assertThat(changed.getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(ada.bind(ADA, "chosen").getResultCode()).isEqualTo(ResultCode.SUCCESS);
      ExtendedResult refused =
          ada.processExtendedOperation(new PasswordModifyExtendedRequest("wrong", "other"));
      assertThat(refused.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    }
  }

  @Test
  void shouldCarryOutTransactionsAsAWhole() throws LDAPException {
    ASN1OctetString id = startTransaction();
    add("ou=Batch," + SUFFIX, id);
    add("ou=Part,ou=Batch," + SUFFIX, id);
    assertThat(connection.getEntry("ou=Batch," + SUFFIX)).isNull();
    assertThat(end(id, true).getResultCode()).isEqualTo(ResultCode.SUCCESS);
    assertThat(connection.getEntry("ou=Part,ou=Batch," + SUFFIX)).isNotNull();

    ASN1OctetString failing = startTransaction();
    add("ou=Other," + SUFFIX, failing);
    add("ou=Batch," + SUFFIX, failing);
    EndTransactionExtendedResult ended = end(failing, true);
    assertThat(ended.getResultCode()).isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    assertThat(ended.getFailedOpMessageID()).isPositive();
    assertThat(connection.getEntry("ou=Other," + SUFFIX)).isNull();
  }

  private ASN1OctetString startTransaction() throws LDAPException {
    StartTransactionExtendedResult started =
        (StartTransactionExtendedResult)
            connection.processExtendedOperation(new StartTransactionExtendedRequest());
    assertThat(started.getResultCode()).isEqualTo(ResultCode.SUCCESS);
    return started.getTransactionID();
  }

  private void add(String dn, ASN1OctetString id) throws LDAPException {
    String ou = new DN(dn).getRDN().getAttributeValues()[0];
    AddRequest request =
        new AddRequest(
            dn, new Attribute("objectClass", "organizationalUnit"), new Attribute("ou", ou));
    request.addControl(new TransactionSpecificationRequestControl(id));
    assertThat(connection.add(request).getResultCode()).isEqualTo(ResultCode.SUCCESS);
  }

  private EndTransactionExtendedResult end(ASN1OctetString id, boolean commit)
      throws LDAPException {
    return (EndTransactionExtendedResult)
        connection.processExtendedOperation(new EndTransactionExtendedRequest(id, commit));
  }

  @Test
  void shouldTellWhatChangesUntilCanceled() throws Exception {
    Listener listener = new Listener();
    SearchRequest request =
        new SearchRequest(listener, SUFFIX, SearchScope.SUB, "(uid=ada)", "cn", "description");
    request.addControl(
        new PersistentSearchRequestControl(
            PersistentSearchChangeType.allChangeTypes(), false, true));
    AsyncRequestID id = connection.asyncSearch(request);
    assertThat(
            listener
                .next()
                .getControl(EntryChangeNotificationControl.ENTRY_CHANGE_NOTIFICATION_OID))
        .isNull();
    try (LDAPConnection writer =
        new LDAPConnection("127.0.0.1", served.port(), "cn=admin,dc=example,dc=com", "admin")) {
      writer.modify(
          new ModifyRequest(
              "dn: " + ADA, "changetype: modify", "replace: description", "description: seen"));
      writer.modifyDN(ADA, "uid=ada+cn=Ada", false);
      writer.modifyDN("uid=ada+cn=Ada,ou=People," + SUFFIX, "uid=ada", false);
    }
    SearchResultEntry modified = listener.next();
    assertThat(modified.getAttributeValue("description")).isEqualTo("seen");
    EntryChangeNotificationControl change =
        Objects.requireNonNull(EntryChangeNotificationControl.get(modified));
    assertThat(change.getChangeType()).isEqualTo(PersistentSearchChangeType.MODIFY);
    EntryChangeNotificationControl renamed =
        Objects.requireNonNull(EntryChangeNotificationControl.get(listener.next()));
    assertThat(renamed.getChangeType()).isEqualTo(PersistentSearchChangeType.MODIFY_DN);
    assertThat(renamed.getPreviousDN()).isEqualTo(ADA);

    ExtendedResult canceled = connection.processExtendedOperation(new CancelExtendedRequest(id));
    assertThat(canceled.getResultCode()).isIn(ResultCode.SUCCESS, ResultCode.CANCELED);
    assertThat(listener.ended.poll(60, TimeUnit.SECONDS)).isEqualTo(ResultCode.CANCELED);
    LDAPException unknown =
        catchThrowableOfType(
            LDAPException.class,
            () -> {
              ExtendedResult again =
                  connection.processExtendedOperation(new CancelExtendedRequest(id));
              throw new LDAPException(again.getResultCode());
            });
    assertThat(Objects.requireNonNull(unknown).getResultCode())
        .isEqualTo(ResultCode.NO_SUCH_OPERATION);
  }

  private static final class Listener implements AsyncSearchResultListener {
    private static final long serialVersionUID = 1;

    private final LinkedBlockingQueue<SearchResultEntry> entries = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<ResultCode> ended = new LinkedBlockingQueue<>();

    SearchResultEntry next() throws InterruptedException {
      return Objects.requireNonNull(entries.poll(60, TimeUnit.SECONDS), "an entry");
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      entries.add(entry);
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // Referrals to other servers are not tested here.
    }

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      ended.add(result.getResultCode());
    }
  }
}
