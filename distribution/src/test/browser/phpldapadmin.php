<?php
$config->custom->session['blowfish'] = '0123456789abcdef0123456789abcdef';
$config->custom->appearance['timezone'] = 'UTC';
$servers = new Datastore();
$servers->newServer('ldap_pla');
$servers->setValue('server', 'name', 'Nyala');
$servers->setValue('server', 'host', '127.0.0.1');
$servers->setValue('server', 'port', @PORT@);
$servers->setValue('server', 'tls', true);
$servers->setValue('server', 'base', array('dc=example,dc=com'));
$servers->setValue('login', 'auth_type', 'session');
