package org.nyala.management.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nyala.extension.Meter;
import org.nyala.management.ServedFeatures;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;
import org.nyala.management.bean.SyncMXBean.Copy;

/**
 * The sections of copies, of the cluster and of extensions.
 *
 * <p>Immutable.
 *
 * @param sources what it reads
 */
record PeersSection(PageSources sources) {
  private static final int MOST_LISTED = 20;
  private static final int MOST_STATES = 100;
  private static final String CLUSTER = "cluster";
  private static final String MEMBER = "member ";
  private static final String LAG = "member lag";

  void write(PageJson json) {
    json.list("copies");
    for (Copy each : sources.parts().copies().get().stream().limit(MOST_LISTED).toList()) {
      json.object()
          .with("suffix", each.suffix())
          .with("provider", each.provider())
          .with("phase", each.phase())
          .with("lagSeconds", each.lagSeconds())
          .with("ready", each.ready())
          .with("guarded", each.guarded())
          .with("error", each.error())
          .endObject();
    }
    json.endList().list("epochs");
    for (ContextEpoch each : sources.parts().epochs().get().stream().limit(MOST_LISTED).toList()) {
      json.object()
          .with("suffix", each.suffix())
          .with("epoch", each.epoch())
          .with("writer", each.writer())
          .with("superseded", each.isSuperseded())
          .with("remedy", each.remedy())
          .endObject();
    }
    json.endList();
    List<ServedFeatures.Overlay> overlays = sources.parts().features().get().overlays();
    cluster(overlays, json);
    extensions(overlays, json);
  }

  private static void cluster(List<ServedFeatures.Overlay> overlays, PageJson json) {
    ServedFeatures.Overlay found =
        overlays.stream().filter(each -> each.name().equals(CLUSTER)).findFirst().orElse(null);
    if (found == null) {
      json.nothing(CLUSTER);
      return;
    }
    Map<String, String> state = found.state();
    Map<String, Long> lags = new LinkedHashMap<>();
    for (Meter.Series each : found.series()) {
      if (each.name().equals(LAG)) {
        lags.putAll(each.values().get());
      }
    }
    json.object(CLUSTER)
        .with("role", state.getOrDefault("role", ""))
        .with("leader", state.getOrDefault("leader", ""))
        .with("term", state.getOrDefault("current term", ""))
        .with("log", state.getOrDefault("log", ""))
        .list("members");
    state.forEach(
        (name, text) -> {
          if (name.startsWith(MEMBER)) {
            json.object().with("text", text).with("lag", lag(text, lags)).endObject();
          }
        });
    json.endList().endObject();
  }

  /** Returns the lag of a member whose address its text has; not a number if it is not known. */
  private static double lag(String text, Map<String, Long> lags) {
    for (Map.Entry<String, Long> each : lags.entrySet()) {
      // The address is a word of its own: that of member 1 begins that of member 10.
      if ((text.replace(',', ' ') + ' ').contains(' ' + each.getKey() + ' ')) {
        return each.getValue();
      }
    }
    return Double.NaN;
  }

  private static void extensions(List<ServedFeatures.Overlay> overlays, PageJson json) {
    json.list("extensions");
    for (ServedFeatures.Overlay overlay : overlays) {
      Map<String, String> state = overlay.state();
      if (!state.isEmpty()) {
        json.object().with("name", overlay.name()).list("state");
        state.entrySet().stream()
            .limit(MOST_STATES)
            .forEach(
                each ->
                    json.object()
                        .with("name", each.getKey())
                        .with("text", each.getValue())
                        .endObject());
        json.endList().endObject();
      }
    }
    json.endList();
  }
}
