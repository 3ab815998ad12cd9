package org.nyala.loadtest.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.engine.Templates;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;
import org.nyala.loadtest.workload.UserPassword;

class RequestTemplateTest {
  private static final int[] USERS = {
    0, 7, 9, 10, 99, 100, 12_345, 999_999, 1_000_000, 123_456_789, Integer.MAX_VALUE
  };

  private static Templates templates(String base) {
    return Templates.of(settings(base));
  }

  private static LoadSettings settings(String base) {
    return new LoadSettings(
        JobKind.SEARCH,
        new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 1),
        1,
        1,
        TestDuration.of(1, 0),
        new People(base, "ou=People," + base, 1),
        new Account("cn=s", "p"),
        0,
        JobOptions.DEFAULT);
  }

  private static LDAPMessage parse(Request template, int id, int user) throws Exception {
    return parse(template, id, user, 0);
  }

  private static LDAPMessage parse(Request template, int id, int user, long stamp)
      throws Exception {
    ByteBuf out = Unpooled.buffer(16);
    out.writeZero(stamp == 0 ? 0 : 3);
    template.write(out, id, user, stamp, 0);
    out.readerIndex(stamp == 0 ? 0 : 3);
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
      ByteBuf password = Unpooled.buffer();
      UserPassword.placeholder(0).write(password, user, 0);
      assertThat(password.toString(java.nio.charset.StandardCharsets.UTF_8))
          .isEqualTo("password." + user);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 7, 1_234_567, RequestTemplate.STAMP_LIMIT - 1})
  void shouldPatchStampsIntoWrites(long stamp) throws Exception {
    String digits = String.format(Locale.ROOT, "%012d", stamp);
    Templates templates = templates("dc=example");
    for (int user : USERS) {
      int id = Pdu.FIRST_MESSAGE_ID + user % 1000;
      String people = ",ou=People,dc=example";

      LDAPMessage replace = parse(templates.replace(), id, user, stamp);
      assertThat(replace.getMessageID()).isEqualTo(id);
      ModifyRequestProtocolOp modify = replace.getModifyRequestProtocolOp();
      assertThat(modify.getDN()).isEqualTo("uid=user." + user + people);
      assertThat(modify.getModifications())
          .containsExactly(new Modification(ModificationType.REPLACE, "description", digits));

      SearchRequestProtocolOp read =
          parse(templates.replaced(), id, user, stamp).getSearchRequestProtocolOp();
      assertThat(read.getBaseDN()).isEqualTo(modify.getDN());
      assertThat(read.getScope().intValue()).isZero();
      assertThat(read.getFilter().toString()).isEqualTo("(description=" + digits + ")");

      AddRequestProtocolOp add = parse(templates.add(), id, user, stamp).getAddRequestProtocolOp();
      assertThat(add.getDN()).matches("uid=load\\.[0-9a-f]{8}\\." + user + "\\." + digits + people);
      assertThat(new Entry(add.getDN(), add.getAttributes()).hasAttributeValue("sn", "Tester"))
          .isTrue();
      LDAPMessage delete = parse(templates.delete(), id, user, stamp);
      assertThat(delete.getDeleteRequestProtocolOp().getDN()).isEqualTo(add.getDN());

      ModifyDNRequestProtocolOp rename =
          parse(templates.rename(), id, user).getModifyDNRequestProtocolOp();
      assertThat(rename.getDN()).isEqualTo("uid=user." + user + people);
      assertThat(rename.getNewRDN()).isEqualTo("uid=renamed." + user);
      assertThat(rename.deleteOldRDN()).isTrue();
      ModifyDNRequestProtocolOp back =
          parse(templates.renameBack(), id, user).getModifyDNRequestProtocolOp();
      assertThat(back.getDN()).isEqualTo("uid=renamed." + user + people);
      assertThat(back.getNewRDN()).isEqualTo("uid=user." + user);
    }
  }

  @Test
  void shouldPatchOffsetsOfEveryLengthIntoListViews() throws Exception {
    byte[] context = {0, 1, (byte) 0x80};
    for (byte[] known : new byte[][] {{}, context}) {
      ListViewTemplate template =
          new ListViewTemplate("dc=example", "uid:caseIgnoreOrderingMatch", 20, known);
      for (int offset = 1; offset > 0; offset = offset * 3 / 2 + 1) {
        LDAPMessage message = parse(template.message(offset));
        assertThat(message.getControls()).hasSize(2);
        VirtualListViewRequestControl view =
            new VirtualListViewRequestControl(message.getControls().get(1));
        assertThat(view.getTargetOffset()).isEqualTo(offset);
        assertThat(view.getAfterCount()).isEqualTo(19);
        assertThat(view.getContextID() == null ? new byte[0] : view.getContextID().getValue())
            .isEqualTo(known);
        ServerSideSortRequestControl sort =
            new ServerSideSortRequestControl(message.getControls().getFirst());
        assertThat(sort.getSortKeys()).hasSize(1);
        assertThat(sort.getSortKeys()[0].getAttributeName()).isEqualTo("uid");
        assertThat(sort.getSortKeys()[0].getMatchingRuleID()).isEqualTo("caseIgnoreOrderingMatch");
      }
    }
  }

  private static LDAPMessage parse(byte[] message) throws Exception {
    return LDAPMessage.readFrom(new ASN1StreamReader(new ByteArrayInputStream(message)), true);
  }
}
