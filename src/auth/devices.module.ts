import { Module } from '@nestjs/common';
import { DeviceCookie } from './device-cookie.js';
import { DevicesRepository } from './devices.repository.js';
import { DevicesService } from './devices.service.js';

@Module({
  providers: [DevicesService, DevicesRepository, DeviceCookie],
  exports: [DevicesService, DeviceCookie],
})
export class DevicesModule {}
