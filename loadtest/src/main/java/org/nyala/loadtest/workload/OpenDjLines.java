package org.nyala.loadtest.workload;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.LoggedOperation.Kind;
import org.nyala.loadtest.workload.LoggedOperation.Search;

/**
 * The lines of OpenDJ's access logs: the text with a line for the request and one for the response
 * ({@code SEARCH REQ conn=1 op=2 msgID=3 base="…" scope=wholeSubtree filter="…" attrs="ALL"}), or
 * with one line for both, and the JSON of its common audit events ({@code DJ-LDAP}), whose time is
 * that of the end. Operations of the server itself, whose connections have negative numbers, are
 * skipped.
 *
 * <p>Confined to one thread.
 */
final class OpenDjLines {
  private static final Pattern LINE =
      Pattern.compile(
          "^(\\[[^\\]]*]) (BIND|SEARCH|COMPARE|MODIFYDN|MODIFY|ADD|DELETE|EXTENDED|ABANDON)"
              + "(?: (REQ|RES))? (conn=-?\\d+ op=\\d+) msgID=\\d+(.*)$");
  private static final Pattern BASE = Pattern.compile(" base=\"(.*?)\" scope=");
  private static final Pattern NAME = Pattern.compile(" dn=\"(.*?)\"(?= |$)");
  private static final Pattern SCOPE = Pattern.compile("\" scope=(\\w+) filter=");
  private static final Pattern FILTER = Pattern.compile(" filter=\"(.*?)\" attrs=");
  private static final Pattern ATTRIBUTES = Pattern.compile(" attrs=\"([^\"]*)\"");
  private static final Pattern ATTRIBUTE = Pattern.compile(" attr=\"?([A-Za-z0-9.;-]+)");
  private static final Pattern TYPE = Pattern.compile(" type=(\\w+)");
  private static final Pattern RESULT = Pattern.compile(" result=(-?\\d{1,9})\\b");
  private static final String ALL = "ALL";

  private static final Map<String, Integer> SCOPES =
      Map.of(
          "baseobject",
          0,
          "base",
          0,
          "0",
          0,
          "singlelevel",
          1,
          "one",
          1,
          "1",
          1,
          "wholesubtree",
          2,
          "sub",
          2,
          "2",
          2);

  /** The names of kinds in messages, which are slapd's. */
  private static final Map<String, String> OTHERS =
      Map.of("ADD", "ADD", "MODIFYDN", "MODRDN", "EXTENDED", "EXT", "ABANDON", "ABANDON");

  private final AccessLogReader reader;

  OpenDjLines(AccessLogReader reader) {
    this.reader = reader;
  }

  /** Takes a line if it is one of OpenDJ; returns whether it is. */
  boolean take(String line) {
    if (line.startsWith("{")) {
      return takeJson(line);
    }
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      return false;
    }
    String which = matcher.group(4);
    String rest = matcher.group(5);
    if (which.startsWith("conn=-")) {
      return true;
    }
    if (!"RES".equals(matcher.group(3))) {
      request(matcher.group(2), which, reader.time(matcher.group(1)), rest);
    }
    Matcher result = RESULT.matcher(rest);
    if (!"REQ".equals(matcher.group(3)) && result.find()) {
      reader.ended(which, Integer.parseInt(result.group(1)));
    }
    return true;
  }

  private void request(String operation, String which, long time, String rest) {
    switch (operation) {
      case "SEARCH" -> {
        Integer scope = SCOPES.get(first(SCOPE, rest).toLowerCase(Locale.ROOT));
        String attributes = first(ATTRIBUTES, rest).replace(',', ' ');
        search(which, time, find(BASE, rest), scope, find(FILTER, rest), attributes);
      }
      case "BIND" -> {
        String name = find(NAME, rest);
        if (name == null) {
          reader.leaveOut(Kind.BIND);
        } else {
          boolean isSimple = first(TYPE, rest).equalsIgnoreCase("SIMPLE");
          reader.begin(which, LoggedOperation.bind(time, name, isSimple));
        }
      }
      case "COMPARE" -> compare(which, time, find(NAME, rest), first(ATTRIBUTE, rest));
      case "MODIFY" -> change(Kind.MOD, which, time, find(NAME, rest));
      case "DELETE" -> change(Kind.DEL, which, time, find(NAME, rest));
      default -> reader.leaveOut(OTHERS.getOrDefault(operation, operation));
    }
  }

  private void search(
      String which,
      long time,
      @Nullable String base,
      @Nullable Integer scope,
      @Nullable String filter,
      String attributes) {
    if (base == null || scope == null || filter == null) {
      reader.leaveOut(Kind.SRCH);
      return;
    }
    reader.begin(which, LoggedOperation.search(time, base, new Search(scope, 0, filter)));
    if (!attributes.equals(ALL)) {
      reader.attributes(which, attributes);
    }
  }

  private void compare(String which, long time, @Nullable String name, String attribute) {
    if (name == null || attribute.isEmpty()) {
      reader.leaveOut(Kind.CMP);
    } else {
      reader.begin(which, LoggedOperation.compare(time, name, attribute));
    }
  }

  private void change(Kind kind, String which, long time, @Nullable String name) {
    if (name == null) {
      reader.leaveOut(kind);
    } else {
      reader.begin(which, LoggedOperation.change(kind, time, name));
    }
  }

  private static @Nullable String find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : null;
  }

  private static String first(Pattern pattern, String text) {
    String found = find(pattern, text);
    return found == null ? "" : found;
  }

  /** Takes an event; what is no event of an LDAP operation is skipped. */
  private boolean takeJson(String line) {
    try {
      JsonElement parsed = JsonParser.parseString(line);
      if (parsed.isJsonObject() && text(parsed.getAsJsonObject(), "eventName").equals("DJ-LDAP")) {
        event(parsed.getAsJsonObject());
      }
    } catch (JsonParseException e) {
      // A line that is cut, as the last one of a log that is written now.
      return true;
    }
    return true;
  }

  private void event(JsonObject event) {
    JsonObject request = object(event, "request");
    JsonObject response = object(event, "response");
    String operation = text(request, "operation").toUpperCase(Locale.ROOT);
    String connection = text(request, "connId");
    boolean isKnown = Pattern.matches("SEARCH|BIND|COMPARE|MODIFY|DELETE", operation);
    if (connection.startsWith("-") || !isKnown && !OTHERS.containsKey(operation)) {
      return;
    }
    if (!isKnown) {
      reader.leaveOut(OTHERS.getOrDefault(operation, operation));
      return;
    }
    long end = reader.instant(text(event, "timestamp"));
    long time = end - elapsedNanos(response);
    String which = "conn=" + connection + " msg=" + text(request, "msgId");
    String name = text(request, "dn");
    switch (operation) {
      case "SEARCH" -> {
        Integer scope = SCOPES.get(text(request, "scope").toLowerCase(Locale.ROOT));
        search(which, time, name, scope, text(request, "filter"), attributes(request));
      }
      case "BIND" -> {
        boolean isSimple = text(request, "authType").equalsIgnoreCase("SIMPLE");
        reader.begin(which, LoggedOperation.bind(time, name, isSimple));
      }
      case "COMPARE" -> compare(which, time, name, text(request, "attr"));
      default -> change(operation.equals("DELETE") ? Kind.DEL : Kind.MOD, which, time, name);
    }
    String code = text(response, "statusCode");
    reader.ended(which, code.matches("\\d{1,9}") ? Integer.parseInt(code) : 0);
  }

  private static long elapsedNanos(JsonObject response) {
    String elapsed = text(response, "elapsedTime");
    if (!elapsed.matches("\\d{1,9}")) {
      return 0;
    }
    long time = Long.parseLong(elapsed);
    return switch (text(response, "elapsedTimeUnits").toUpperCase(Locale.ROOT)) {
      case "NANOSECONDS" -> time;
      case "MICROSECONDS" -> TimeUnit.MICROSECONDS.toNanos(time);
      default -> TimeUnit.MILLISECONDS.toNanos(time);
    };
  }

  private static String attributes(JsonObject request) {
    JsonElement all = request.get("attrs");
    if (all == null || !all.isJsonArray()) {
      return ALL;
    }
    List<String> names = new ArrayList<>();
    for (JsonElement name : all.getAsJsonArray()) {
      if (name.isJsonPrimitive()) {
        names.add(name.getAsString());
      }
    }
    return String.join(" ", names);
  }

  private static JsonObject object(JsonObject from, String key) {
    JsonElement value = from.get(key);
    return value != null && value.isJsonObject() ? value.getAsJsonObject() : new JsonObject();
  }

  private static String text(JsonObject from, String key) {
    JsonElement value = from.get(key);
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }
}
