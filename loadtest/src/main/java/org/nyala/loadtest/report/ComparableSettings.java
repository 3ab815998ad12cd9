package org.nyala.loadtest.report;

import com.google.gson.JsonObject;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.sasl.Mechanism;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.Targets;

/**
 * The settings in which two tests of a job must agree for their figures to be compared. Server,
 * length and identity are not among them. Stateless.
 */
final class ComparableSettings {
  private ComparableSettings() {}

  /** The settings by name; all of them are texts, so that a difference can be said. */
  static JsonObject of(LoadSettings settings) {
    JobOptions options = settings.options();
    Targets values = options.values();
    JsonObject json = new JsonObject();
    add(json, "job", settings.job().label());
    add(json, "mix", mix(options.mix()));
    add(json, "connections", settings.connections());
    add(json, "depth", settings.pace().depth());
    add(json, "rate", JsonNumber.of(settings.pace().rate()));
    add(json, "flow", settings.pace().flow().inWords());
    add(json, "time-out", JsonNumber.of(settings.pace().timeOutSeconds()));
    add(json, "interval", JsonNumber.of(settings.pace().intervalSeconds()));
    add(json, "threads", settings.threads());
    add(json, "users", settings.people().users());
    add(json, "order", values.order());
    add(json, "skew", values.order() == Targets.Order.ZIPF ? values.skew() : "-");
    add(json, "encryption", settings.security().kind());
    Mechanism mechanism = options.login().mechanism();
    add(json, "people-mechanism", mechanism == null ? "simple" : mechanism);
    add(json, "attribute", settings.writingKinds().isEmpty() ? "-" : options.attribute());
    add(json, "page-size", settings.job() == JobKind.PAGED ? options.pageSize() : "-");
    add(json, "check-every", options.checkEvery());
    options.rules().texts().forEach(json::addProperty);
    add(json, "sync", options.sync().isWanted());
    Replay replay = options.replay();
    add(json, "log", replay == null ? "-" : replay.steps().size() + " operations");
    add(json, "log seconds", replay == null ? "-" : replay.lastNanos() / 1e9);
    requests(json, settings);
    return json;
  }

  private static void requests(JsonObject json, LoadSettings settings) {
    Patterns patterns = settings.options().patterns();
    Targets values = settings.options().values();
    if (patterns == null) {
      add(json, "base", settings.people().base());
      add(
          json,
          "first person",
          values.isPattern() ? settings.dnOf(0) : values.lines().size() + " lines of --names");
      return;
    }
    add(json, "base", patterns.base().text(0));
    add(json, "first person", patterns.dn().text(0));
    add(json, "filter", patterns.filter() == null ? "-" : patterns.filter().text(0));
    add(json, "scope", patterns.scope().text(0));
    add(
        json,
        "attributes",
        patterns.attributes().stream().map(attribute -> attribute.text(0)).toList());
  }

  private static String mix(Mix mix) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < mix.jobs().size(); i++) {
      text.append(i == 0 ? "" : ",").append(mix.jobs().get(i).label());
      text.append('=').append(mix.weights().get(i));
    }
    return text.isEmpty() ? "-" : text.toString();
  }

  private static void add(JsonObject json, String name, Object value) {
    json.addProperty(name, String.valueOf(value));
  }
}
