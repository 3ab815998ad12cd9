package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Lets Debian's slapd come back to a directory whose containers have moved meanwhile, or move while
 * it is refreshed.
 */
@Timeout(300)
class SlapdContainersTest {
  private static final int PEOPLE = 1500;

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection root;
  private SlapdConsumer slapd;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "serverId = 3");
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    addUnit("u", TOP);
    Path of = Files.createDirectory(folder.resolve("slapd"));
    String provider = "ldap://127.0.0.1:" + LocalServer.port(server);
    slapd = new SlapdConsumer(of, provider, "refreshOnly", "cn=admin", "admin");
  }

  @AfterEach
  void stop() {
    slapd.close();
    root.close();
    server.close();
  }

  private void addUnit(String name, String parent) throws Exception {
    root.add("dn: ou=" + name + "," + parent, "objectClass: organizationalUnit", "ou: " + name);
  }

  private void addPerson(String name, String parent) throws Exception {
    root.add(
        "dn: uid=" + name + "," + parent,
        "objectClass: inetOrgPerson",
        "uid: " + name,
        "cn: P",
        "sn: P");
  }

  private void rename(String name, String rdn, String superior) throws Exception {
    root.modifyDN(name, rdn, true, superior);
  }

  private void copy() throws Exception {
    slapd.start();
    slapd.awaitEqual(root, "at the beginning");
    slapd.close();
  }

  private void catchUp(String what) throws Exception {
    slapd.start();
    slapd.awaitEqual(root, what);
    assertThat(slapd.log()).doesNotContain("retrying");
  }

  @Test
  void shouldRenameAContainerThatOthersHaveLeft() throws Exception {
    addUnit("v", "ou=u," + TOP);
    addUnit("c", "ou=v,ou=u," + TOP);
    addPerson("x", "ou=c,ou=v,ou=u," + TOP);
    copy();
    rename("ou=c,ou=v,ou=u," + TOP, "ou=c", TOP);
    rename("ou=v,ou=u," + TOP, "ou=w", "ou=c," + TOP);
    catchUp("ou=u has nothing below it, and stays");
  }

  @Test
  void shouldRenameContainersFromWhichContainersWereRenamed() throws Exception {
    addUnit("c", "ou=u," + TOP);
    addUnit("d", "ou=c,ou=u," + TOP);
    addPerson("x", "ou=d,ou=c,ou=u," + TOP);
    copy();
    rename("ou=d,ou=c,ou=u," + TOP, "ou=d", TOP);
    rename("ou=c,ou=u," + TOP, "ou=e", TOP);
    rename("ou=u," + TOP, "ou=w", "ou=e," + TOP);
    catchUp("all were left, and renamed");
  }

  @Test
  void shouldGiveTheNameOfADeletedContainerToAnother() throws Exception {
    addUnit("old", TOP);
    addPerson("x", "ou=old," + TOP);
    addPerson("y", "ou=u," + TOP);
    copy();
    root.delete("uid=x,ou=old," + TOP);
    root.delete("ou=old," + TOP);
    rename("ou=u," + TOP, "ou=old", TOP);
    catchUp("another container has the name");
  }

  @Test
  void shouldRenameAContainerFromWhichOneWasMovedAndDeleted() throws Exception {
    addUnit("v", "ou=u," + TOP);
    addUnit("c", "ou=v,ou=u," + TOP);
    addPerson("x", "ou=c,ou=v,ou=u," + TOP);
    copy();
    rename("ou=c,ou=v,ou=u," + TOP, "ou=c", TOP);
    rename("ou=v,ou=u," + TOP, "ou=w", TOP);
    root.delete("uid=x,ou=c," + TOP);
    root.delete("ou=c," + TOP);
    catchUp("ou=u has nothing below it, and stays");
  }

  @Test
  void shouldDeleteAContainerFromWhichOneWasMovedAndDeleted() throws Exception {
    addUnit("v", "ou=u," + TOP);
    addUnit("c", "ou=v,ou=u," + TOP);
    addPerson("x", "ou=c,ou=v,ou=u," + TOP);
    copy();
    rename("ou=c,ou=v,ou=u," + TOP, "ou=c", TOP);
    root.delete("ou=v,ou=u," + TOP);
    root.delete("uid=x,ou=c," + TOP);
    addPerson("y", "ou=c," + TOP);
    root.delete("uid=y,ou=c," + TOP);
    root.delete("ou=c," + TOP);
    catchUp("ou=u has nothing below it, and stays");
  }

  @Test
  void shouldMovePeopleOutOfARenamedContainerThatIsDeleted() throws Exception {
    addUnit("d", TOP);
    addPerson("x", "ou=d," + TOP);
    addPerson("y", "ou=d," + TOP);
    copy();
    rename("ou=d," + TOP, "ou=e", TOP);
    rename("uid=x,ou=e," + TOP, "uid=x", "ou=u," + TOP);
    rename("uid=y,ou=e," + TOP, "uid=z", TOP);
    root.delete("ou=e," + TOP);
    catchUp("the people are elsewhere");
    assertThat(slapd.log()).doesNotContain("(66)");
  }

  @Test
  void shouldGiveTheNameOfARenamedContainerToAnotherAmidDeletions() throws Exception {
    addUnit("k", TOP);
    addUnit("x", TOP);
    addPerson("p", "ou=x," + TOP);
    addUnit("d", TOP);
    addPerson("q", "ou=d," + TOP);
    copy();
    rename("ou=d," + TOP, "ou=e", TOP);
    rename("ou=k," + TOP, "ou=l", TOP);
    rename("ou=x," + TOP, "ou=k", TOP);
    root.delete("uid=q,ou=e," + TOP);
    root.delete("ou=e," + TOP);
    catchUp("another container has the name");
  }

  @Test
  void shouldMoveBelowAnEntryThatHasLeftADeletedContainer() throws Exception {
    addUnit("d", TOP);
    addUnit("p", "ou=d," + TOP);
    addUnit("x", TOP);
    addPerson("q", "ou=x," + TOP);
    addUnit("f", "ou=u," + TOP);
    addPerson("r", "ou=f,ou=u," + TOP);
    copy();
    rename("ou=f,ou=u," + TOP, "ou=g", "ou=u," + TOP);
    rename("ou=d," + TOP, "ou=e", TOP);
    rename("ou=p,ou=e," + TOP, "ou=p", TOP);
    root.delete("ou=e," + TOP);
    rename("ou=x," + TOP, "ou=x", "ou=p," + TOP);
    root.delete("uid=r,ou=g,ou=u," + TOP);
    root.delete("ou=g,ou=u," + TOP);
    catchUp("ou=u has nothing below it, and stays");
  }

  @Test
  void shouldKeepEntriesBelowAContainerThatIsRenamedMeanwhile() throws Exception {
    for (int i = 0; i < PEOPLE; i++) {
      addPerson("p" + i, "ou=u," + TOP);
    }
    copy();
    String name = "ou=u," + TOP;
    for (int i = 0; i < PEOPLE; i++) {
      Modification change = new Modification(ModificationType.REPLACE, "description", "d");
      root.modify("uid=p" + i + "," + name, change);
    }
    slapd.start();
    for (int i = 0; i < 200; i++) {
      String rdn = "ou=u" + i;
      rename(name, rdn, TOP);
      name = rdn + "," + TOP;
      addPerson("q" + i, name);
    }
    slapd.awaitEqual(root, "after the container was renamed all the time");
  }

  @Test
  void shouldGiveTheNameOfADeletedUnitToOneRenamedAloneBefore() throws Exception {
    addUnit("a", TOP);
    addUnit("b", TOP);
    copy();
    rename("ou=a," + TOP, "ou=x", TOP);
    root.delete("ou=b," + TOP);
    addPerson("p", "ou=x," + TOP);
    rename("ou=x," + TOP, "ou=b", TOP);
    catchUp("the name of a deleted unit");
  }

  @Test
  void shouldGiveTheNameOfARenamedUnitToOneRenamedAloneBefore() throws Exception {
    addUnit("a", TOP);
    addUnit("b", TOP);
    addPerson("q", "ou=b," + TOP);
    copy();
    rename("ou=a," + TOP, "ou=x", TOP);
    rename("ou=b," + TOP, "ou=c", TOP);
    addPerson("p", "ou=x," + TOP);
    rename("ou=x," + TOP, "ou=b", TOP);
    catchUp("the name of a renamed unit");
  }

  @Test
  void shouldGiveTheFirstNameOfAUnitToAnotherBeforeItMoves() throws Exception {
    addUnit("a", TOP);
    addUnit("b", TOP);
    addPerson("q", "ou=b," + TOP);
    copy();
    rename("ou=a," + TOP, "ou=x", TOP);
    rename("ou=b," + TOP, "ou=a", TOP);
    addPerson("p", "ou=x," + TOP);
    rename("ou=x," + TOP, "ou=c", TOP);
    catchUp("the first name of a unit");
  }

  @Test
  void shouldGiveANameThatIsFreeLateToAUnitThatHasMovedBefore() throws Exception {
    addUnit("a", TOP);
    addUnit("b", TOP);
    copy();
    rename("ou=a," + TOP, "ou=x", TOP);
    addPerson("p", "ou=x," + TOP);
    rename("ou=x," + TOP, "ou=y", TOP);
    root.delete("ou=b," + TOP);
    rename("ou=y," + TOP, "ou=b", TOP);
    catchUp("a name that is free late");
  }
}
