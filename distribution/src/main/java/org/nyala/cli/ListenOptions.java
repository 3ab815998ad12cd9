package org.nyala.cli;

import java.util.ArrayList;
import java.util.List;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ErrorMessages;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option that says where to take connections. */
final class ListenOptions {
  @Option(
      names = "--listen",
      paramLabel = "URL",
      converter = AddressConverter.class,
      description =
          "Where to take connections, instead of where the configuration says: ldap://HOST[:PORT], "
              + "port 0 for any that is free. May be given several times.")
  private List<ListenAddress> addresses = new ArrayList<>();

  /** The configuration with what the command line says instead. */
  NyalaConfig applyTo(NyalaConfig configuration) {
    return addresses.isEmpty()
        ? configuration
        : configuration
            .withListeners(addresses)
            .notingCommandLine(
                "nyala.listeners", addresses.stream().map(ListenAddress::url).toList());
  }

  /** This option for another process. */
  List<String> toArguments() {
    return addresses.stream().map(address -> "--listen=" + address.url()).toList();
  }

  /** Reads an address. */
  static final class AddressConverter implements ITypeConverter<ListenAddress> {
    @Override
    public ListenAddress convert(String url) {
      try {
        return ListenAddress.parse(url);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(ErrorMessages.line(e));
      }
    }
  }
}
