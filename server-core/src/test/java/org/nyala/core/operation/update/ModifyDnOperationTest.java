package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ALIAS;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.AWAY;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.OTHER;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.move;
import static org.nyala.core.operation.UpdateFixture.rename;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;

final class ModifyDnOperationTest {
  private final UpdateFixture directory = new UpdateFixture();

  @AfterEach
  void close() {
    directory.close();
  }

  private List<String> values(String name, String attribute) {
    return directory.stored(name).get(attribute);
  }

  @Test
  void shouldRenameAndKeepTheOldValueOrNot() {
    assertThat(directory.code(rename(LEAF, "ou=twig", false))).isEqualTo(ResultCode.SUCCESS);
    String twig = "ou=twig," + TOP;
    assertThat(values(twig, "ou")).containsExactly("leaf", "twig");
    assertThat(values(twig, "modifiersName")).containsExactly("cn=admin,dc=example,dc=com");
    assertThat(values(twig, "entryCSN")).hasSize(1);
    assertThat(directory.code(rename(twig, "ou=leaf", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values(LEAF, "ou")).containsExactly("leaf");
    assertThat(directory.stored(twig)).isNull();
  }

  @Test
  void shouldTakeTheSameRdnAndAnotherCase() {
    assertThat(directory.code(rename(LEAF, "ou=leaf", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values(LEAF, "ou")).containsExactly("leaf");
    assertThat(directory.code(rename(LEAF, "OU=Leaf", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values(LEAF, "ou")).containsExactly("Leaf");
    assertThat(directory.names()).contains("OU=Leaf," + TOP);
    assertThat(directory.code(rename(LEAF, "ou=LEAF", false))).isEqualTo(ResultCode.SUCCESS);
    assertThat(values(LEAF, "ou")).containsExactly("Leaf");
    assertThat(directory.names()).contains("ou=LEAF," + TOP);
  }

  @Test
  void shouldRenameByOtherAttributesAndBySeveral() {
    assertThat(directory.code(rename(ANN, "cn=Ann A", true))).isEqualTo(ResultCode.SUCCESS);
    String byCn = "cn=ann a," + PEOPLE;
    assertThat(directory.stored(byCn)).doesNotContainKey("uid");
    assertThat(directory.code(rename(byCn, "uid=ann+sn=B", false))).isEqualTo(ResultCode.SUCCESS);
    String bySeveral = "sn=b+uid=ann," + PEOPLE;
    assertThat(values(bySeveral, "sn")).containsExactly("A", "B");
    assertThat(values(bySeveral, "uid")).containsExactly("ann");
    assertThat(directory.code(rename(bySeveral, "uid=ann+sn=A", true)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(values("uid=ann+sn=a," + PEOPLE, "sn")).containsExactly("A");
  }

  @Test
  void shouldMoveWholeSubtrees() {
    assertThat(directory.code(move(PEOPLE, "ou=Staff", LEAF))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.names())
        .contains("ou=Staff," + LEAF, "uid=ann,ou=Staff," + LEAF)
        .doesNotContain(PEOPLE, ANN);
    assertThat(directory.code(rename(LEAF, "ou=tree", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("uid=ann,ou=staff,ou=tree," + TOP)).isNotNull();
    assertThat(directory.code(add(ANN, "objectClass", "account")))
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
  }

  @Test
  void shouldRefuseWhereTheEntryMayNotGo() {
    assertThat(directory.code(rename(LEAF, "ou=people", true)))
        .isEqualTo(ResultCode.ENTRY_ALREADY_EXISTS);
    assertThat(directory.code(move(PEOPLE, "ou=people", PEOPLE)))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.code(move(PEOPLE, "ou=x", ANN)))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.code(move(PEOPLE, "ou=people", OTHER)))
        .isEqualTo(ResultCode.AFFECTS_MULTIPLE_DSAS);
    assertThat(directory.code(move(PEOPLE, "ou=people", "")))
        .isEqualTo(ResultCode.AFFECTS_MULTIPLE_DSAS);
    assertThat(directory.code(move(PEOPLE, "ou=people", "dc=nowhere")))
        .isEqualTo(ResultCode.AFFECTS_MULTIPLE_DSAS);
    assertThat(directory.code(move(PEOPLE, "ou=people", "ou=nowhere," + TOP)))
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(directory.code(move(PEOPLE, "ou=people", ALIAS)))
        .isEqualTo(ResultCode.ALIAS_PROBLEM);
    for (String elsewhere : List.of(AWAY, "ou=x," + AWAY, "cn=y,ou=x," + AWAY)) {
      assertThat(directory.code(move(PEOPLE, "ou=people", elsewhere)))
          .isEqualTo(ResultCode.AFFECTS_MULTIPLE_DSAS);
    }
    assertThat(directory.code(rename(LEAF, AWAY.substring(0, AWAY.indexOf(',')), true)))
        .isEqualTo(ResultCode.AFFECTS_MULTIPLE_DSAS);
    assertThat(directory.code(rename(TOP, "dc=Example", true)))
        .isEqualTo(ResultCode.NAMING_VIOLATION);
    assertThat(directory.code(rename(TOP, "dc=else", true)))
        .isEqualTo(ResultCode.AFFECTS_MULTIPLE_DSAS);
    assertThat(directory.result(rename(TOP, "dc=else", true)).message())
        .startsWith("the top of a naming context cannot be renamed: export it");
    assertThat(directory.names()).hasSize(6).contains(PEOPLE, ANN, LEAF);
  }

  @Test
  void shouldRefuseNamesBelowThatWouldBeTooLong() {
    int length = ANN.length() + 2;
    directory.limits =
        TestLimits.with(ServerLimits.DEFAULT, TestLimits.names(RequestLimits.DEFAULT, length, 5));
    assertThat(directory.code(rename(PEOPLE, "ou=people123", true)))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.stored(ANN)).isNotNull();
    assertThat(directory.code(rename(PEOPLE, "ou=people12", true))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("uid=ann,ou=people12," + TOP)).isNotNull();
  }

  @Test
  void shouldRefuseNamesBelowThatWouldHaveTooManyRdns() {
    directory.limits =
        TestLimits.with(ServerLimits.DEFAULT, TestLimits.names(RequestLimits.DEFAULT, 1000, 5));
    assertThat(directory.code(add("cn=x," + ANN, "objectClass", "device", "cn", "x")))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.code(move(PEOPLE, "ou=p", LEAF)))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(directory.code(move(ANN, "uid=a", LEAF))).isEqualTo(ResultCode.SUCCESS);
    assertThat(directory.stored("cn=x,uid=a," + LEAF)).isNotNull();
    assertThat(directory.code(move(LEAF, "ou=leaf", PEOPLE)))
        .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldRefuseNamesThatAreNone() {
    for (String rdn : List.of("", "ou=a,ou=b", "nothing=x", "x")) {
      assertThat(directory.code(rename(LEAF, rdn, true)))
          .as(rdn)
          .isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    }
    assertThat(directory.code(rename(LEAF, "sn=x", true)))
        .isEqualTo(ResultCode.OBJECT_CLASS_VIOLATION);
    assertThat(directory.code(rename("", "ou=x", true))).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.code(rename("cn=Subschema", "ou=x", true)))
        .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(directory.code(rename("ou=x," + TOP, "ou=y", true)))
        .isEqualTo(ResultCode.NO_SUCH_OBJECT);
    assertThat(directory.code(rename(AWAY, "ou=y", true))).isEqualTo(ResultCode.REFERRAL);
    assertThat(directory.code(rename(AWAY, "ou=y", true, OperationFixture.manageDsaIt())))
        .isEqualTo(ResultCode.SUCCESS);
  }
}
