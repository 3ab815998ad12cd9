package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventuallyHolds;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.LiveMembers;
import org.nyala.cluster.LiveMembers.Member;

/** Compares the data of the members' live pages with what the members say of their cluster. */
@Timeout(300)
class ClusterPageTest {
  private static final String TOP = "dc=example,dc=com";
  private static final Pattern LACKS = Pattern.compile(", lacks (\\d+) entries");
  private static final int MISSED = 20;

  @TempDir Path folder;

  private static JsonObject cluster(Member member) throws Exception {
    return PageClient.of(member.server()).data().getAsJsonObject("cluster");
  }

  /** Returns what follows a word at the beginning of a line. */
  private static String line(String status, String word) {
    Matcher found = Pattern.compile("(?m)^" + word + " +(.+)$").matcher(status);
    assertThat(found.find()).as(status).isTrue();
    return found.group(1);
  }

  /** Returns the lines of members, without the times that pass between two looks. */
  private static List<String> members(Stream<String> lines) {
    return lines
        .filter(each -> each.matches("(leader|follower) .*"))
        .map(each -> each.replaceAll(", heard of \\d+ ms ago", ", heard of"))
        .toList();
  }

  private static List<String> shown(JsonObject cluster) {
    List<String> texts = new ArrayList<>();
    for (JsonElement each : cluster.getAsJsonArray("members")) {
      JsonObject member = each.getAsJsonObject();
      String text = member.get("text").getAsString();
      Matcher lacks = LACKS.matcher(text);
      JsonElement lag = member.get("lag");
      if (lacks.find()) {
        assertThat(lag.getAsLong()).as(text).isEqualTo(Long.parseLong(lacks.group(1)));
      } else {
        assertThat(lag.isJsonNull()).as(text).isTrue();
      }
      texts.add(text);
    }
    return members(texts.stream());
  }

  /** Returns the lags that are known: the leader's page has those of the others. */
  private static List<Long> lags(Member member) throws Exception {
    return cluster(member).getAsJsonArray("members").asList().stream()
        .map(each -> each.getAsJsonObject().get("lag"))
        .filter(lag -> !lag.isJsonNull())
        .map(JsonElement::getAsLong)
        .toList();
  }

  /** Compares the page of a member with its command and its beans. */
  private static void shouldAgree(Member member) throws Exception {
    JsonObject cluster = cluster(member);
    String status = member.run("status").text();
    Map<String, String> state = member.state();
    for (String role : List.of(line(status, "role"), state.get("role"))) {
      assertThat(cluster.get("role").getAsString()).isEqualTo(role);
    }
    for (String term : List.of(line(status, "term"), state.get("current term"))) {
      assertThat(cluster.get("term").getAsString()).isEqualTo(term);
    }
    for (String log : List.of(line(status, "log"), state.get("log"))) {
      assertThat(cluster.get("log").getAsString()).isEqualTo(log);
    }
    assertThat(cluster.get("leader").getAsString()).isEqualTo(state.get("leader"));
    assertThat(shown(cluster))
        .isEqualTo(members(status.lines()))
        .isEqualTo(
            members(
                state.entrySet().stream()
                    .filter(each -> each.getKey().startsWith("member "))
                    .map(Map.Entry::getValue)));
  }

  private static void shouldAgree(LiveMembers members, Member leader) throws Exception {
    String id = leader.id();
    for (Member each : members.all().stream().filter(Member::isRunning).toList()) {
      eventuallyHolds(
          () -> {
            shouldAgree(each);
            JsonObject cluster = cluster(each);
            assertThat(cluster.get("leader").getAsString()).isEqualTo(id);
            assertThat(cluster.get("role").getAsString())
                .isEqualTo(each == leader ? "leader" : "follower");
            assertThat(shown(cluster)).hasSize(members.all().size());
            for (Member other : members.all()) {
              assertThat(shown(cluster))
                  .filteredOn(text -> text.contains(" (" + other.peerAddress() + ")"))
                  .singleElement()
                  .asString()
                  .startsWith(other == leader ? "leader " : "follower ");
            }
          });
    }
  }

  @Test
  void shouldShowRolesTermsLagsAndAddressesAsTheMembersTellThem() throws Exception {
    String http = "management.http = \"127.0.0.1:0\"";
    try (LiveMembers members = LiveMembers.form(folder, 3, _ -> http)) {
      Member first = members.leader();
      try (LDAPConnection client = first.connect()) {
        client.add("dn: " + TOP, "objectClass: domain", "dc: example");
      }
      shouldAgree(members, first);
      long term = cluster(first).get("term").getAsLong();

      Member next = members.followers().getFirst();
      members.transfer(next);
      shouldAgree(members, next);
      assertThat(cluster(next).get("term").getAsLong()).isGreaterThan(term);

      members.followers().stream().filter(each -> each != first).forEach(Member::stop);
      try (LDAPConnection client = next.connect()) {
        for (int i = 0; i < MISSED; i++) {
          client.add("dn: ou=u" + i + "," + TOP, "objectClass: organizationalUnit", "ou: u" + i);
        }
      }
      shouldAgree(members, next);
      eventuallyHolds(
          () ->
              assertThat(lags(next))
                  .anySatisfy(lag -> assertThat(lag).isGreaterThanOrEqualTo(MISSED)));
      for (Member each : members.all()) {
        if (!each.isRunning()) {
          each.start();
        }
      }
      eventuallyHolds(() -> assertThat(lags(next)).containsExactly(0L, 0L));
      shouldAgree(members, next);
    }
  }
}
