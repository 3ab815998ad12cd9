package org.nyala.cli;

import java.util.ArrayList;
import java.util.List;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.error.ErrorMessages;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option for the addresses to listen on. */
final class ListenOptions {
  @Option(
      names = "--listen",
      paramLabel = "URL",
      converter = AddressConverter.class,
      description =
          "An address to listen on, instead of those of the configuration: ldap://HOST[:PORT] or"
              + " ldaps://HOST[:PORT], port 0 for any free port. May be given several times.")
  private List<ListenAddress> addresses = new ArrayList<>();

  /** Returns the configuration with the addresses of the command line. */
  NyalaConfig applyTo(NyalaConfig configuration) {
    return addresses.isEmpty()
        ? configuration
        : configuration
            .withListeners(addresses)
            .notingCommandLine(
                "nyala.listeners", addresses.stream().map(ListenAddress::url).toList());
  }

  /** Returns this option for another process. */
  List<String> toArguments() {
    return addresses.stream().map(address -> "--listen=" + address.url()).toList();
  }

  /** Reads an address. */
  static final class AddressConverter implements ITypeConverter<ListenAddress> {
    @Override
    public ListenAddress convert(String url) {
      ListenAddress address;
      try {
        address = ListenAddress.parse(url);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(ErrorMessages.line(e));
      }
      if (address.isLocal() || address.isProxied()) {
        // The configuration names those who may connect, too.
        throw new TypeConversionException(
            "expected ldap://HOST[:PORT] or ldaps://HOST[:PORT]: others belong in the configuration"
                + " (nyala.listeners), found '"
                + url
                + "'");
      }
      return address;
    }
  }
}
