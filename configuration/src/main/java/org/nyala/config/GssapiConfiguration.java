package org.nyala.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.GssapiSettings;
import org.nyala.core.sasl.Protection;
import org.nyala.error.ErrorMessages;

/** Reads the configuration of GSSAPI. Stateless. */
final class GssapiConfiguration {
  private static final String LAYERS = "layers";

  private static final int TOKEN_MAXIMUM = 1 << 20;

  private static final List<String> ALL =
      Stream.of(Protection.values()).map(Protection::label).toList();

  private GssapiConfiguration() {}

  /**
   * Reads it from its section, and the keytab.
   *
   * @param base the folder that relative paths are relative to
   * @return null if there is no keytab
   */
  static @Nullable GssapiAcceptor read(ConfigSection section, Path base) {
    Optional<Path> keytab = section.text("keytab").map(base::resolve);
    Optional<String> principal = section.text("principal");
    Optional<Path> krb5Conf = section.text("krb5Conf").map(base::resolve);
    Set<Protection> layers = layers(section);
    boolean isMutual = section.bool("requireMutual", true);
    int tokenBytes =
        section.integer(
            "tokenBytes", GssapiSettings.TOKEN_BYTES, GssapiSettings.TOKEN_MINIMUM, TOKEN_MAXIMUM);
    int bufferBytes =
        section.integer(
            "bufferBytes",
            GssapiSettings.BUFFER_BYTES,
            GssapiSettings.BUFFER_MINIMUM,
            GssapiSettings.BUFFER_MAXIMUM);
    section.rejectUnknownKeys();
    if (keytab.isEmpty()) {
      return null;
    }
    try {
      return GssapiAcceptor.open(
          new GssapiSettings(
              keytab.get(),
              principal.orElse(null),
              krb5Conf.orElse(null),
              layers,
              isMutual,
              tokenBytes,
              bufferBytes));
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
