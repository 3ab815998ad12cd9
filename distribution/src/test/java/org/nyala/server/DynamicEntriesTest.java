package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.RootDSE;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServerProcess;

/** Tests dynamic entries of a server process that is killed and restarted. */
class DynamicEntriesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String REFRESH = "1.3.6.1.4.1.1466.101.119.1";

  @TempDir Path folder;

  private ServerProcess server;
  private LDAPConnection connection;

  @BeforeEach
  void configure() throws Exception {
    ServerProcess.configure(folder, "dynamicEntries { enabled = true, checkIntervalSeconds = 1 }");
    start();
  }

  @AfterEach
  void kill() {
    connection.close();
    server.kill();
  }

  private void start() throws Exception {
    server = ServerProcess.serve(folder);
    connection = server.client("cn=admin", "admin");
  }

  private void addDynamic(String name, String cn) throws LDAPException {
    connection.add(
        name, new Attribute("objectClass", "device", "dynamicObject"), new Attribute("cn", cn));
  }

  private void addBrief(String name, String cn) throws Exception {
    addDynamic(name, cn);
    assertThat(refresh(name, 2)).isEqualTo(2);
  }

  private int refresh(String name, int ttlSeconds) throws Exception {
    ASN1Sequence value =
        new ASN1Sequence(
            new ASN1OctetString((byte) 0x80, name), new ASN1Integer((byte) 0x81, ttlSeconds));
    ExtendedResult result =
        connection.processExtendedOperation(
            new ExtendedRequest(REFRESH, new ASN1OctetString(value.encode())));
    assertThat(result.getResultCode()).isEqualTo(ResultCode.SUCCESS);
    assertThat(result.getOID()).isEqualTo(REFRESH);
    ASN1Element[] elements =
        ASN1Sequence.decodeAsSequence(Objects.requireNonNull(result.getValue()).getValue())
            .elements();
    assertThat(elements).hasSize(1);
    assertThat(elements[0].getType()).isEqualTo((byte) 0x81);
    return ASN1Integer.decodeAsInteger(elements[0]).intValue();
  }

  private void awaitNone(String name) throws LDAPException {
    eventually(name + " is gone", () -> connection.getEntry(name) == null);
  }

  @Test
  void shouldDeleteExpiredEntriesAlsoAfterItWasKilled() throws Exception {
    RootDSE root = Objects.requireNonNull(connection.getRootDSE());
    assertThat(root.getSupportedExtendedOperationOIDs()).contains(REFRESH);
    assertThat(root.getAttributeValues("dynamicSubtrees")).containsExactly(TOP);
    connection.add(TOP, new Attribute("objectClass", "domain"), new Attribute("dc", "example"));
    String brief = "cn=brief," + TOP;
    String lasting = "cn=lasting," + TOP;
    addDynamic(lasting, "lasting");
    assertThat(refresh(lasting, 3000)).isEqualTo(3000);
    addBrief(brief, "brief");
    awaitNone(brief);
    addBrief(brief, "brief");
    addBrief("cn=below," + lasting, "below");
    kill();

    start();
    awaitNone(brief);
    awaitNone("cn=below," + lasting);
    SearchResultEntry left =
        Objects.requireNonNull(connection.getEntry(lasting, "entryTtl", "objectClass"));
    assertThat(left.getAttributeValueAsInteger("entryTtl")).isBetween(1, 3000);
  }
}
