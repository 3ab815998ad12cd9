package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerIdentityTest {
  private static byte[] content(ProtocolOp operation) {
    return ((ASN1Sequence) new LDAPMessage(1, operation).encode()).getValue();
  }

  private static byte[] entry(Attribute... attributes) {
    return content(new SearchResultEntryProtocolOp("", List.of(attributes)));
  }

  @Test
  void shouldNameVendorAndVersion() {
    Attribute name = new Attribute("vendorName", "Example");
    assertThat(ServerIdentity.vendor(entry(name, new Attribute("vendorVersion", "1.0"))))
        .contains("Example 1.0");
    assertThat(ServerIdentity.vendor(entry(new Attribute("vendorVersion", "Example 1.0"), name)))
        .contains("Example 1.0");
    assertThat(ServerIdentity.vendor(entry(name))).contains("Example");
  }

  @Test
  void shouldKnowNoVendorWhereNoneIsSaid() {
    assertThat(ServerIdentity.vendor(entry())).isEmpty();
    assertThat(ServerIdentity.vendor(entry(new Attribute("vendorName")))).isEmpty();
    assertThat(ServerIdentity.vendor(content(new SearchResultDoneProtocolOp(0, null, null, null))))
        .isEmpty();
  }

  @Test
  void shouldKnowNoVendorOfAMessageThatIsCutAnywhere() {
    byte[] whole = entry(new Attribute("vendorName", "Example"));
    for (int length = 0; length < whole.length; length++) {
      assertThat(ServerIdentity.vendor(Arrays.copyOf(whole, length))).as("%d", length).isEmpty();
    }
  }
}
