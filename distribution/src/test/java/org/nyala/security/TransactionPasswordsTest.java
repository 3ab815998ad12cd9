package org.nyala.security;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Deletes passwords in transactions that have set them: they are right, and no guesses. */
class TransactionPasswordsTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String WRITER = "uid=op," + BASE;
  private static final String ANN = "uid=ann," + BASE;
  private static final int GUESSES = 3;

  @TempDir Path folder;
  private RunningServer server;
  private LDAPConnection writer;

  @BeforeEach
  void serve() throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            access.writers = ["%s"]
            security.minimumStrength.simpleBind = 0
            password.scheme = SSHA
            guessing { failuresPerSource = 100, failuresPerName = %d, failuresPerKnownSource = %d
              refillSeconds = 86400 }
            """
                .formatted(WRITER, GUESSES, GUESSES));
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      root.add(person(WRITER, "secret"));
      root.add(person(ANN, "secret"));
    }
    writer = new LDAPConnection("127.0.0.1", LocalServer.port(server), WRITER, "secret");
  }

  @AfterEach
  void stop() {
    writer.close();
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private static AddRequest person(String name, String password) {
    return new AddRequest(
        name,
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("cn", "u"),
        new Attribute("sn", "u"),
        new Attribute("userPassword", password));
  }

  private static String stored(String password) {
    return new String(
        PasswordHash.create(PasswordScheme.SSHA, password.getBytes(UTF_8), new Random(1)),
        US_ASCII);
  }

  private ASN1OctetString begin() throws LDAPException {
    return ((StartTransactionExtendedResult)
            writer.processExtendedOperation(new StartTransactionExtendedRequest()))
        .getTransactionID();
  }

  private static ModifyRequest modify(ASN1OctetString in, String name, Modification... changes) {
    ModifyRequest request = new ModifyRequest(name, changes);
    request.addControl(new TransactionSpecificationRequestControl(in));
    return request;
  }

  private static Modification change(ModificationType how, String password) {
    return new Modification(how, "userPassword", password);
  }

  private int code(ModifyRequest request) {
    try {
      return writer.modify(request).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  private int commit(ASN1OctetString transaction) throws LDAPException {
    return writer
        .processExtendedOperation(new EndTransactionExtendedRequest(transaction, true))
        .getResultCode()
        .intValue();
  }

  private void shouldBind(String name, String password) throws LDAPException {
    try (LDAPConnection client = LocalServer.connect(server)) {
      assertThat(client.bind(name, password).getResultCode().intValue()).isZero();
    }
  }

  private static String form(boolean isStored, String password) {
    return isStored ? stored(password) : password;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDeleteAPasswordThatTheTransactionHasSet(boolean isStored) throws Exception {
    for (int i = 0; i <= GUESSES; i++) {
      ASN1OctetString transaction = begin();
      String first = form(isStored, "one" + i);
      String second = form(isStored, "two" + i);
      assertThat(code(modify(transaction, ANN, change(ModificationType.REPLACE, first)))).isZero();
      assertThat(
              code(
                  modify(
                      transaction,
                      ANN,
                      change(ModificationType.DELETE, first),
                      change(ModificationType.ADD, second))))
          .isZero();
      assertThat(code(modify(transaction, ANN, change(ModificationType.DELETE, second)))).isZero();
      String last = form(isStored, "last" + i);
      assertThat(code(modify(transaction, ANN, change(ModificationType.ADD, last)))).isZero();
      assertThat(commit(transaction)).isZero();
    }
    shouldBind(ANN, "last" + GUESSES);
  }

  @Test
  void shouldDeleteThePasswordOfAnEntryThatTheTransactionHasAdded() throws Exception {
    String name = "uid=new," + BASE;
    ASN1OctetString transaction = begin();
    AddRequest added = person(name, stored("one"));
    added.addControl(new TransactionSpecificationRequestControl(transaction));
    assertThat(writer.add(added).getResultCode().intValue()).isZero();
    assertThat(
            code(
                modify(
                    transaction,
                    name,
                    change(ModificationType.DELETE, stored("one")),
                    change(ModificationType.ADD, stored("two")))))
        .isZero();
    assertThat(commit(transaction)).isZero();
    shouldBind(name, "two");
  }

  /** The second request comes before the first has ended. */
  @Test
  void shouldKnowWhatWasSentBefore() throws Exception {
    for (int i = 0; i <= GUESSES; i++) {
      ASN1OctetString transaction = begin();
      AsyncRequestID first =
          writer.asyncModify(
              modify(transaction, ANN, change(ModificationType.REPLACE, "one")), null);
      AsyncRequestID second =
          writer.asyncModify(
              modify(transaction, ANN, change(ModificationType.DELETE, "one")), null);
      AsyncRequestID third =
          writer.asyncModify(
              modify(transaction, ANN, change(ModificationType.ADD, "two" + i)), null);
      assertThat(first.get().getResultCode().intValue()).isZero();
      assertThat(second.get().getResultCode().intValue()).isZero();
      assertThat(third.get().getResultCode().intValue()).isZero();
      assertThat(commit(transaction)).isZero();
    }
    shouldBind(ANN, "two" + GUESSES);
  }

  /** A value that the transaction has deleted is not there; one that it has not set is a guess. */
  @Test
  void shouldCountWhatIsWrongInTheTransaction() throws Exception {
    for (int i = 0; i < GUESSES; i++) {
      ASN1OctetString transaction = begin();
      assertThat(code(modify(transaction, ANN, change(ModificationType.REPLACE, stored("one")))))
          .isZero();
      String wrong = i == 0 ? "secret" : stored("wrong");
      assertThat(code(modify(transaction, ANN, change(ModificationType.DELETE, wrong))))
          .isEqualTo(16);
      writer.processExtendedOperation(new EndTransactionExtendedRequest(transaction, false));
    }
    ASN1OctetString transaction = begin();
    assertThat(code(modify(transaction, ANN, change(ModificationType.DELETE, stored("wrong")))))
        .isEqualTo(51);
  }
}
