package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.process.LocalServer;

/** Holds updates with large assertions in transactions: their clients are charged for these. */
class TransactionMemoryTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int ITEMS = 2000;
  private static final int ITEM_BYTES = 256;

  @TempDir Path folder;

  /** An end of a transaction. */
  enum End {
    COMMITTED,
    ABORTED,
    DISCONNECTED
  }

  @SuppressWarnings("try")
  @ParameterizedTest
  @EnumSource
  void shouldChargeForAssertionsUntilTheTransactionHasEnded(End end) throws Exception {
    try (RunningServer server = LocalServer.start(folder, "");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      ASN1OctetString transaction =
          ((StartTransactionExtendedResult)
                  root.processExtendedOperation(new StartTransactionExtendedRequest()))
              .getTransactionID();
      Filter assertion =
          Filter.createORFilter(
              IntStream.range(0, ITEMS)
                  .mapToObj(i -> Filter.createEqualityFilter("dc", i == 0 ? "example" : "v" + i))
                  .toList());
      ModifyRequest request =
          new ModifyRequest(TOP, new Modification(ModificationType.REPLACE, "description", "x"));
      request.addControl(new AssertionRequestControl(assertion));
      request.addControl(new TransactionSpecificationRequestControl(transaction));
      assertThat(root.modify(request).getResultCode().intValue()).isZero();
      // The request itself has ended.
      eventually(
          "the compiled assertion is held",
          () -> server.served().directory().memory().held() >= ITEMS * ITEM_BYTES);
      if (end == End.DISCONNECTED) {
        root.close();
      } else {
        assertThat(
                root.processExtendedOperation(
                        new EndTransactionExtendedRequest(transaction, end == End.COMMITTED))
                    .getResultCode()
                    .intValue())
            .isZero();
      }
      eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    }
  }
}
