package org.nyala.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTemplateTest {
  private static final int[] USERS = {
    0, 7, 9, 10, 99, 100, 12_345, 999_999, 1_000_000, 123_456_789, Integer.MAX_VALUE
  };

  private static Templates templates(String base) {
    return new Templates(
        new LoadSettings(
            JobKind.SEARCH,
            new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 1),
            1,
            1,
            1,
            0,
            0,
            base,
            "ou=People," + base,
            1,
            "cn=s",
            "p",
            0));
  }

  private static LDAPMessage parse(RequestTemplate template, int id, int user) throws Exception {
    ByteBuf out = Unpooled.buffer(16);
    template.write(out, id, user);
    assertThat(out.readableBytes()).isLessThanOrEqualTo(template.maxLength());
    return LDAPMessage.readFrom(new ASN1StreamReader(new ByteBufInputStream(out)), true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 60, 150, 400})
  void shouldPatchMessageIdsAndUsersIntoRequestsOfEveryLength(int baseLength) throws Exception {
    String base = "o=" + "b".repeat(baseLength);
    Templates templates = templates(base);
    for (int user : USERS) {
      int id = Pdu.FIRST_MESSAGE_ID + user % 1000;

      LDAPMessage search = parse(templates.search(), id, user);
      assertThat(search.getMessageID()).isEqualTo(id);
      SearchRequestProtocolOp op = search.getSearchRequestProtocolOp();
      assertThat(op.getBaseDN()).isEqualTo(base);
      assertThat(op.getFilter().toString()).isEqualTo("(uid=user." + user + ")");
      assertThat(op.getScope().intValue()).isEqualTo(2);

      LDAPMessage bind = parse(templates.bind(), Pdu.LAST_MESSAGE_ID, user);
      assertThat(bind.getMessageID()).isEqualTo(Pdu.LAST_MESSAGE_ID);
      BindRequestProtocolOp bindOp = bind.getBindRequestProtocolOp();
      assertThat(bindOp.getBindDN()).isEqualTo("uid=user." + user + ",ou=People," + base);
      assertThat(bindOp.getSimplePassword().stringValue()).isEqualTo("password." + user);
      assertThat(new String(Conversation.passwordOf(user), java.nio.charset.StandardCharsets.UTF_8))
          .isEqualTo("password." + user);
    }
  }
}
