package org.nyala.loadtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.loadtest.engine.JobTestCase;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.result.LoadReport;

/** Access logs of 389 Directory Server and OpenDJ, in the formats that their manuals describe. */
class OtherLogsTest extends JobTestCase {
  private static final Replay.Rules RULES =
      new Replay.Rules(
          new Account("cn=service", "secret"), "ou=People,dc=example,dc=com", "title", true);

  private static final String OF_389 =
      """
      \t389-Directory/3.1.1 B2024.001.0000
      \thost.example.com:389 (/etc/dirsrv/slapd-instance)

      [21/Nov/2026:23:59:59.000000000 +0100] conn=1 fd=64 slot=64 connection from 127.0.0.1 to 127.0.0.1
      [21/Nov/2026:23:59:59.000000001 +0100] conn=1 op=0 BIND dn="uid=user.3,ou=people,dc=example,dc=com" method=128 version=3
      [21/Nov/2026:23:59:59.000000002 +0100] conn=1 op=0 RESULT err=0 tag=97 nentries=0 wtime=0.000119 optime=0.000389 etime=0.000506 dn="uid=user.3,ou=people,dc=example,dc=com"
      [21/Nov/2026:23:59:59.500000001 +0100] conn=1 op=1 SRCH base="dc=example,dc=com" scope=2 filter="(uid=user.1)" attrs="cn sn"
      [21/Nov/2026:23:59:59.500000002 +0100] conn=1 op=1 RESULT err=0 tag=101 nentries=1 wtime=0.000119 optime=0.000389 etime=0.000506
      [22/Nov/2026:00:00:00.000000001 +0100] conn=1 op=2 SRCH base="dc=nowhere" scope=0 filter="(objectClass=*)" attrs=ALL
      [22/Nov/2026:00:00:00.000000002 +0100] conn=1 op=2 RESULT err=32 tag=101 nentries=0 wtime=0.000119 optime=0.000389 etime=0.000506
      [22/Nov/2026:00:00:00.100000001 +0100] conn=Internal(0) op=3(1)(1) SRCH base="cn=config" scope=0 filter="(a=b)" attrs=ALL
      [22/Nov/2026:00:00:00.100000002 +0100] conn=1 op=4 CMP dn="uid=user.1,ou=People,dc=example,dc=com" attr="uid"
      [22/Nov/2026:00:00:00.100000003 +0100] conn=1 op=5 MOD dn="uid=user.1,ou=People,dc=example,dc=com"
      [22/Nov/2026:00:00:00.100000004 +0100] conn=1 op=6 ADD dn="uid=new,ou=People,dc=example,dc=com"
      [22/Nov/2026:00:00:00.100000005 +0100] conn=1 op=7 DEL dn="uid=new,ou=People,dc=example,dc=com"
      [22/Nov/2026:00:00:00.100000006 +0100] conn=1 op=8 MODRDN dn="uid=user.1,ou=People,dc=example,dc=com" newrdn="uid=user.2" newsuperior="(null)"
      [22/Nov/2026:00:00:00.100000007 +0100] conn=1 op=9 EXT oid="1.3.6.1.4.1.4203.1.11.1" name="passwd_modify_extop"
      [22/Nov/2026:00:00:00.100000008 +0100] conn=1 op=10 ABANDON targetop=NOTFOUND msgid=3
      [22/Nov/2026:00:00:00.100000009 +0100] conn=2 op=0 BIND dn="" method=sasl version=3 mech=GSSAPI
      [22/Nov/2026:00:00:00.100000010 +0100] conn=2 op=0 RESULT err=14 tag=97 nentries=0 wtime=0.1 optime=0.1 etime=0.2, SASL bind in progress
      [22/Nov/2026:00:00:00.100000011 +0100] conn=1 op=11 UNBIND
      [22/Nov/2026:00:00:00.100000012 +0100] conn=1 op=11 fd=64 Disconnect - Cleanly Closed Connection - U1
      """;

  private static final String OF_OPENDJ =
      """
      [21/Nov/2026:10:15:30 +0100] CONNECT conn=5 from=127.0.0.1:51561 to=127.0.0.1:1389 protocol=LDAP
      [21/Nov/2026:10:15:30 +0100] EXTENDED REQ conn=5 op=0 msgID=1 name="StartTLS" oid="1.3.6.1.4.1.1466.20037"
      [21/Nov/2026:10:15:30 +0100] EXTENDED RES conn=5 op=0 msgID=1 name="StartTLS" oid="1.3.6.1.4.1.1466.20037" result=0 etime=0
      [21/Nov/2026:10:15:30 +0100] BIND REQ conn=5 op=1 msgID=2 version=3 type=SIMPLE dn="uid=user.3,ou=People,dc=example,dc=com"
      [21/Nov/2026:10:15:30 +0100] BIND RES conn=5 op=1 msgID=2 result=0 authDN="uid=user.3,ou=People,dc=example,dc=com" etime=1
      [21/Nov/2026:10:15:31 +0100] SEARCH REQ conn=5 op=2 msgID=3 base="dc=example,dc=com" scope=wholeSubtree filter="(uid=user.1)" attrs="cn,sn"
      [21/Nov/2026:10:15:31 +0100] SEARCH RES conn=5 op=2 msgID=3 result=0 nentries=1 etime=6
      [21/Nov/2026:10:15:31 +0100] SEARCH REQ conn=-1 op=9 msgID=10 base="cn=config" scope=baseObject filter="(a=b)" attrs="ALL"
      [21/Nov/2026:10:15:32 +0100] SEARCH REQ conn=5 op=3 msgID=4 base="dc=nowhere" scope=baseObject filter="(objectClass=*)" attrs="ALL"
      [21/Nov/2026:10:15:32 +0100] SEARCH RES conn=5 op=3 msgID=4 result=32 message="The entry dc=nowhere does not exist" nentries=0 etime=1
      [21/Nov/2026:10:15:32 +0100] COMPARE REQ conn=5 op=4 msgID=5 dn="uid=user.1,ou=People,dc=example,dc=com" attr=uid
      [21/Nov/2026:10:15:32 +0100] COMPARE RES conn=5 op=4 msgID=5 result=6 etime=1
      [21/Nov/2026:10:15:32 +0100] MODIFY REQ conn=5 op=5 msgID=6 dn="uid=user.1,ou=People,dc=example,dc=com"
      [21/Nov/2026:10:15:32 +0100] ADD REQ conn=5 op=6 msgID=7 dn="uid=new,ou=People,dc=example,dc=com"
      [21/Nov/2026:10:15:32 +0100] DELETE REQ conn=5 op=7 msgID=8 dn="uid=new,ou=People,dc=example,dc=com"
      [21/Nov/2026:10:15:32 +0100] MODIFYDN REQ conn=5 op=8 msgID=9 dn="uid=user.1,ou=People,dc=example,dc=com" newRDN="uid=user.2" deleteOldRDN=true
      [21/Nov/2026:10:15:32 +0100] ABANDON REQ conn=5 op=9 msgID=10 idToAbandon=9
      [21/Nov/2026:10:15:32 +0100] BIND REQ conn=6 op=0 msgID=1 version=3 type=SASL mechanism=GSSAPI dn=""
      [21/Nov/2026:10:15:32 +0100] UNBIND REQ conn=5 op=10 msgID=11
      [21/Nov/2026:10:15:32 +0100] DISCONNECT conn=5 reason="Client Unbind"
      """;

  /** The same operations as events, which are written when they end: not in their order. */
  private static final String EVENTS =
      event("EXTENDED", "", 1, 0, "30.000")
          + event(
              "BIND",
              "'dn':'uid=user.3,ou=People,dc=example,dc=com','authType':'SIMPLE'",
              2,
              0,
              "30.001")
          + event(
              "SEARCH",
              "'dn':'dc=nowhere','scope':'base','filter':'(objectClass=*)','attrs':['ALL']",
              4,
              32,
              "31.500")
          + event(
              "SEARCH",
              "'dn':'dc=example,dc=com','scope':'sub','filter':'(uid=user.1)','attrs':['cn','sn']",
              3,
              0,
              "31.600",
              600)
          + event(
              "COMPARE",
              "'dn':'uid=user.1,ou=People,dc=example,dc=com','attr':'uid'",
              5,
              6,
              "32.000")
          + event("MODIFY", "'dn':'uid=user.1,ou=People,dc=example,dc=com'", 6, 0, "32.000")
          + event("ADD", "'dn':'uid=new,ou=People,dc=example,dc=com'", 7, 0, "32.000")
          + event("DELETE", "'dn':'uid=new,ou=People,dc=example,dc=com'", 8, 0, "32.000")
          + event("MODIFYDN", "'dn':'uid=user.1,ou=People,dc=example,dc=com'", 9, 0, "32.000")
          + event("ABANDON", "'idToAbandon':9", 10, 0, "32.000")
          + event("BIND", "'dn':'','authType':'SASL'", 1, 0, "32.000")
          + event("UNBIND", "", 11, 0, "32.000")
          + "{\"eventName\":\"DJ-HTTP\",\"timestamp\":\"2026-11-21T10:15:33Z\"}\n"
          + "{\"eventName\":\"DJ-LD";

  @TempDir Path folder;

  private static String event(
      String operation, String details, int message, int code, String seconds) {
    return event(operation, details, message, code, seconds, 1);
  }

  private static String event(
      String operation, String details, int message, int code, String seconds, int millis) {
    return ("{'eventName':'DJ-LDAP','client':{'ip':'127.0.0.1','port':5},'request':{'protocol':'LDAP',"
            + "'operation':'%s','connId':5,'msgId':%d%s},'transactionId':'a','response':{'status':"
            + "'SUCCESSFUL','statusCode':'%d','elapsedTime':%d,'elapsedTimeUnits':'MILLISECONDS'},"
            + "'timestamp':'2026-11-21T10:15:%sZ'}\n")
        .formatted(
            operation, message, details.isEmpty() ? "" : "," + details, code, millis, seconds)
        .replace('\'', '"');
  }

  private Replay read(String lines) throws Exception {
    return Replay.read(Files.writeString(folder.resolve("log"), lines), 1, RULES);
  }

  /** Both servers' logs have the same operations, whose answers are as logged. */
  private void shouldReplay(Replay replay) throws Exception {
    assertThat(replay.steps())
        .extracting(Replay.Step::kind)
        .containsExactly(
            JobKind.BIND,
            JobKind.SEARCH,
            JobKind.SEARCH,
            JobKind.COMPARE,
            JobKind.MODIFY,
            JobKind.ADD_DELETE);
    assertThat(replay.steps()).extracting(Replay.Step::expected).startsWith(0, 0, 32);
    assertThat(replay.leftOut())
        .isEqualTo(Map.of("BIND", 1L, "ADD", 1L, "MODRDN", 1L, "EXT", 1L, "ABANDON", 1L));
    JobOptions options =
        new JobOptions(
            "description",
            "uid",
            PAGE,
            20,
            Targets.PEOPLE.inOrder(Targets.Order.SEQUENTIAL, 1),
            Mix.NONE,
            replay,
            1);

    LoadReport report =
        LoadRun.run(settings(JobKind.REPLAY, 0, 6, "cn=service", options, LoadRate.CLOSED));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(6);
    assertThat(writes(JobKind.MODIFY)).isEqualTo(1);
  }

  @Test
  void shouldReplayLogsOf389() throws Exception {
    Replay replay = read(OF_389);
    assertThat(replay.nanos()).startsWith(0L, 500_000_000L, 1_000_000_000L, 1_100_000_001L);
    shouldReplay(replay);
  }

  @Test
  void shouldReplayLogsOfOpenDj() throws Exception {
    Replay replay = read(OF_OPENDJ);
    assertThat(replay.nanos()).startsWith(0L, 1_000_000_000L, 2_000_000_000L);
    shouldReplay(replay);
  }

  @Test
  void shouldReplayEventsOfOpenDjInTheOrderInWhichTheyBegan() throws Exception {
    Replay replay = read(EVENTS);
    assertThat(replay.nanos()).startsWith(0L, 1_000_000_000L, 1_499_000_000L, 1_999_000_000L);
    shouldReplay(replay);
  }

  @Test
  void shouldReadLinesOfOpenDjForRequestAndResponse() throws Exception {
    Replay replay =
        read(
            "[21/Nov/2026:10:15:30 +0100] SEARCH conn=5 op=2 msgID=3 base=\"dc=nowhere\""
                + " scope=baseObject filter=\"(a=b)\" attrs=\"ALL\" result=32 nentries=0 etime=6\n");
    assertThat(replay.steps()).hasSize(1);
    assertThat(replay.steps().getFirst().expected()).isEqualTo(32);
  }

  @Test
  void shouldAllowForDaysBetweenTimesWithADate() throws Exception {
    String search =
        "[%s/Nov/2026:10:00:00 +0000] conn=1 op=%s SRCH base=\"\" scope=0 filter=\"(a=b)\"\n";
    assertThat(read(search.formatted("21", 1) + search.formatted("24", 2)).nanos())
        .isEqualTo(List.of(0L, 3 * 86_400_000_000_000L));
    assertThatThrownBy(() -> read(search.formatted("99", 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> read(EVENTS.replace("2026-11-21T", "never")))
        .hasMessageContaining("no time");
  }

  /** Logs that are damaged anywhere are read as far as they can be, or refused in a sentence. */
  @Test
  void shouldReadDamagedLogsOrRefuseThem() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (String log : List.of(OF_389, OF_OPENDJ, EVENTS)) {
      for (int i = 0; i < 300; i++) {
        StringBuilder damaged = new StringBuilder(log);
        for (int j = 0; j < 4; j++) {
          int place = random.nextInt(damaged.length());
          switch (random.nextInt(3)) {
            case 0 -> damaged.setCharAt(place, "\"=[]{} \n:-9Z\\".charAt(random.nextInt(13)));
            case 1 -> damaged.delete(place, Math.min(damaged.length(), place + 20));
            default -> damaged.insert(place, damaged.substring(place / 2, place / 2 + 5));
          }
        }
        try {
          Replay replay = read(damaged.toString());
          assertThat(replay.nanos()).as("seed %d", seed).isSorted();
        } catch (IllegalArgumentException e) {
          assertThat(e).as("seed %d", seed).hasMessageStartingWith("--log: no ");
        }
      }
    }
  }
}
