package org.nyala.core.access.slapd;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.rights.Right;

/** Debian's slapd with a small database, asked for rights by its own program. */
final class Slapd {
  private static final String HEAD =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/inetorgperson.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      """;

  /** The rights that slapd knows, by its words. */
  private static final Map<String, Right> WORDS =
      Map.of(
          "disclose",
          Right.DISCLOSE,
          "auth",
          Right.AUTHENTICATE,
          "compare",
          Right.COMPARE,
          "search",
          Right.SEARCH,
          "read",
          Right.READ,
          "add",
          Right.ADD,
          "delete",
          Right.REMOVE,
          "manage",
          Right.MANAGE);

  private final Path folder;
  private final String suffix;

  Slapd(Path folder, String suffix, List<PlainEntry> entries) throws IOException {
    this.folder = folder;
    this.suffix = suffix;
    Files.createDirectories(folder.resolve("data"));
    Path conf = Files.writeString(folder.resolve("load.conf"), configuration("", ""));
    StringBuilder ldif = new StringBuilder();
    for (PlainEntry entry : entries) {
      ldif.append("dn: ").append(entry.name()).append('\n');
      entry
          .attributes()
          .forEach(
              (name, values) ->
                  values.forEach(
                      value -> ldif.append(name).append(": ").append(value).append('\n')));
      ldif.append('\n');
    }
    Path data = Files.writeString(folder.resolve("data.ldif"), ldif);
    run(List.of("/usr/sbin/slapadd", "-q", "-f", conf.toString(), "-l", data.toString()));
  }

  /** Returns a configuration with global rules and rules of the database. */
  String configuration(String global, String ofDatabase) {
    return HEAD
        + global
        + "\ndatabase mdb\nsuffix \""
        + suffix
        + "\"\ndirectory "
        + folder.resolve("data")
        + "\nmaxsize 10485760\n"
        + ofDatabase;
  }

  private static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = output(process);
    int code = process.onExit().join().exitValue();
    if (code != 0) {
      throw new IllegalStateException(command + ": " + code + ": " + output);
    }
  }

  private static String output(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), UTF_8);
  }

  /**
   * Returns the answers of slapacl, which may crash in its end after it has given all of them.
   *
   * @param wanted their number
   */
  private static List<String> answers(List<String> command, int wanted) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = output(process);
    List<String> answers =
        output
            .lines()
            .filter(line -> line.endsWith(": ALLOWED") || line.endsWith(": DENIED"))
            .toList();
    if (answers.size() != wanted) {
      int code = process.onExit().join().exitValue();
      throw new IllegalStateException(command + ": " + code + ": " + output);
    }
    return answers;
  }

  /** Returns the rights that a client has, for each question; all are about one entry. */
  List<Set<Right>> rights(Path conf, Client client, List<Question> questions) throws IOException {
    List<String> command = new ArrayList<>(List.of("/usr/sbin/slapacl", "-f", conf.toString()));
    command.addAll(List.of("-b", questions.getFirst().entry().name()));
    if (!client.name().isEmpty()) {
      command.addAll(List.of("-D", client.name()));
    }
    String peer =
        client.address().isEmpty()
            ? "PATH=/run/ldapi"
            : client.address().contains(":")
                ? "IP=[" + client.address() + "]:5555"
                : "IP=" + client.address() + ":5555";
    int ssf = Math.max(client.tls(), Math.max(client.sasl(), client.transport()));
    command.addAll(List.of("-o", "peername=" + peer, "-o", "ssf=" + ssf));
    command.addAll(List.of("-o", "tls_ssf=" + client.tls(), "-o", "sasl_ssf=" + client.sasl()));
    command.addAll(List.of("-o", "transport_ssf=" + client.transport()));
    command.addAll(List.of("-o", "domain=host.example.com", "-o", "sockurl=ldap://host:389/"));
    List<Right> order = new ArrayList<>();
    for (Question question : questions) {
      WORDS.forEach(
          (word, right) -> {
            order.add(right);
            String value = question.value() == null ? "" : ':' + question.value();
            command.add(question.attribute() + '/' + word + value);
          });
    }
    List<String> answers = answers(command, order.size());
    List<Set<Right>> all = new ArrayList<>();
    for (int i = 0; i < questions.size(); i++) {
      Set<Right> rights = EnumSet.noneOf(Right.class);
      for (int j = i * WORDS.size(); j < (i + 1) * WORDS.size(); j++) {
        if (answers.get(j).endsWith(": ALLOWED")) {
          rights.add(order.get(j));
        }
      }
      all.add(rights);
    }
    return all;
  }
}
