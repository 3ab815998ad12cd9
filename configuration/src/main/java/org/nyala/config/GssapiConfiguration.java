package org.nyala.config;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Keys;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.GssapiSettings;
import org.nyala.core.sasl.Protection;
import org.nyala.error.ErrorMessages;

/** Reads the configuration of GSSAPI. Stateless. */
final class GssapiConfiguration {
  private static final String LAYERS = "layers";

  private static final List<String> ALL =
      Stream.of(Protection.values()).map(Protection::label).toList();

  private GssapiConfiguration() {}

  /**
   * Reads it from its section, and the keytab.
   *
   * @return null if there is no keytab
   */
  static @Nullable GssapiAcceptor read(ConfigSection section) {
    GssapiSettings read =
        Keys.read(GssapiSettings.class, section, Map.of("protections", layers(section)));
    section.rejectUnknownKeys();
    if (!section.has("keytab")) {
      return null;
    }
    try {
      return GssapiAcceptor.open(read);
    } catch (IOException e) {
      throw section.problem("keytab", ErrorMessages.reason(e));
    }
  }

  private static Set<Protection> layers(ConfigSection section) {
    List<Protection> layers = new ArrayList<>();
    for (String label : section.texts(LAYERS, ALL)) {
      Protection layer = Protection.of(label);
      if (layer == null) {
        throw section.problem(
            LAYERS, "expected one of " + String.join(", ", ALL) + ", found '" + label + "'");
      }
      layers.add(layer);
    }
    if (layers.isEmpty()) {
      throw section.problem(LAYERS, "expected at least one of " + String.join(", ", ALL));
    }
    return EnumSet.copyOf(layers);
  }
}
